/// The reason why a request has no response.
public enum HTTPError: Error, Sendable, Equatable {
  /// The text is no address, contains other characters than visible ones of ASCII, or contains a user's name.
  case invalidAddress
  /// The address does not start with `https://`.
  case notHTTPS
  /// The file that `SSL_CERT_FILE` names cannot be read, or has no certificates in PEM.
  case certificateFile(String)
  /// This machine has no libcurl, or one that does not use OpenSSL.
  case missingLibrary
  /// This machine's libcurl has this version, which is older than 7.85.
  case outdatedLibrary(version: String)
  /// No connection is made, since the environment variable `TESSERA_OFFLINE` is set.
  case offline
  /// A variable of the environment names something else than a proxy for HTTP.
  case invalidProxy
  /// The proxy cannot be reached, or it refused the connection to the server.
  case proxyRefused(host: String)
  /// The host's name is unknown, or it does not answer.
  case unreachable(host: String)
  /// The server's certificate is not valid for the host, or none of the roots issued it.
  case certificateRefused(host: String)
  /// The server answered with this HTTP status, which is not the expected one.
  case status(Int)
  /// The server answered with a redirect that is not followed.
  case redirect(RedirectProblem)
  /// The body has more than this number of bytes.
  case tooLarge(limit: Int)
  case timeLimit(Duration)
  /// The connection ended before the response was complete.
  case interrupted(host: String)
  /// The response violates HTTP, or is compressed although this was not requested.
  case invalidResponse

  /// Why a redirect is not followed.
  public enum RedirectProblem: Sendable, Equatable {
    /// The request follows no redirect.
    case refused
    /// It leads to an address without https.
    case notHTTPS
    /// It leads to this host, or to another port, and the request follows redirects on its own host only.
    case otherHost(String)
    /// It is the sixth one.
    case tooMany
    /// It has no address, or an invalid one.
    case invalid
  }
}
