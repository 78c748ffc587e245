import TesseraCore

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

extension HTTPError: FailureConvertible {
  public var failure: Failure {
    switch self {
    case .invalidAddress:
      Failure(
        .usage, "The address is invalid.", remedy: "Use an address such as https://example.org/list.ml.")
    case .notHTTPS:
      Failure(
        .usage, "The address does not start with https://.",
        remedy: "Use an https address, or download the file with another program and use the file.")
    case .certificateFile(let path):
      Failure(
        .usage, "The file “\(PrintableText.of(path))”, which SSL_CERT_FILE names, has no readable certificates.",
        remedy: "Name a file with certificates in PEM, or unset SSL_CERT_FILE.")
    case .missingLibrary:
      Failure(
        .serviceUnavailable, "The library libcurl.so.4, which makes connections to servers, cannot be used.",
        remedy: "Install it: sudo apt install libcurl4.")
    case .outdatedLibrary(let version):
      Failure(
        .serviceUnavailable, "The library libcurl.so.4 has version \(version), and 7.85 or later is needed.",
        remedy: "Install a newer one: sudo apt install libcurl4.", details: ["version": version])
    case .offline:
      Failure(
        .serviceUnavailable, "TESSERA_OFFLINE is set, so no connection is made.",
        remedy: "Unset it, or use what is already on this machine.")
    case .invalidProxy:
      Failure(
        .usage, "The proxy that the environment names is invalid.",
        remedy: "Set https_proxy to an address such as http://proxy.example.org:3128, or unset it.")
    case .proxyRefused(let host):
      Failure(
        .serviceUnavailable, "The proxy “\(PrintableText.of(host))” cannot be reached, or it refused the connection.",
        remedy: "Check https_proxy, its user and its password. no_proxy names hosts that are reached without it.")
    case .unreachable(let host):
      Failure(
        .serviceUnavailable, "The server “\(host)” cannot be reached.",
        remedy: "Check the address and the connection to the network. A proxy is named by https_proxy.")
    case .certificateRefused(let host):
      Failure(
        .serviceUnavailable, "The certificate of the server “\(host)” is not trusted.",
        remedy: "Check the address and the system's clock. If the network has a root of its own, name its file in "
          + "SSL_CERT_FILE.")
    case .status(let status):
      Failure(
        .serviceUnavailable, "The server answered with the HTTP status \(status).",
        remedy: "Check the address in a browser.", details: ["status": "\(status)"])
    case .redirect(let problem): Self.failure(problem)
    case .tooLarge(let limit):
      Failure(
        .usage, "The response has more than \(limit) bytes.",
        remedy: "Check the address: nothing that is read from there is as large.")
    case .timeLimit(let limit):
      Failure(
        .serviceUnavailable, "The server's response did not end within \(limit.components.seconds) seconds.",
        remedy: "Try again later, or download the file with another program and use the file.")
    case .interrupted(let host):
      Failure(.serviceUnavailable, "The connection to the server “\(host)” was interrupted.", remedy: "Try again.")
    case .invalidResponse:
      Failure(
        .serviceUnavailable, "The server's response is invalid.",
        remedy: "Download the file with another program and use the file.")
    }
  }

  private static func failure(_ problem: RedirectProblem) -> Failure {
    let cause =
      switch problem {
      case .refused: "The server refers to another address."
      case .notHTTPS: "The server refers to an address without https."
      case .otherHost(let host): "The server refers to another one, “\(PrintableText.of(host))”."
      case .tooMany: "The server refers to other addresses more than five times."
      case .invalid: "The server refers to an invalid address."
      }
    return Failure(
      .serviceUnavailable, cause,
      remedy: "Open the address in a browser, and use the address of the file itself if you trust its server.")
  }
}
