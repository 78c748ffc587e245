import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
internal import NIOSSL

/// The reason why a request has no response.
public enum HTTPError: Error, Sendable, Equatable {
  /// The text is no address, contains other characters than visible ones of ASCII, or contains a user's name.
  case invalidAddress
  /// The address does not start with `https://`.
  case notHTTPS
  /// The file that `SSL_CERT_FILE` names cannot be read, or has no certificates in PEM.
  case certificateFile(String)
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

  /// The error of the HTTP client as one of these.
  ///
  /// - Parameter proxy: the host of the proxy on the way.
  package init(_ error: any Error, host: String, proxy: String?) {
    let unreachable: HTTPError = proxy.map { .proxyRefused(host: $0) } ?? .unreachable(host: host)
    switch error {
    case let error as HTTPError: self = error
    case let error as HTTPClientError:
      switch error {
      case .connectTimeout, .tlsHandshakeTimeout: self = unreachable
      case .proxyAuthenticationRequired, .invalidProxyResponse, .httpProxyHandshakeTimeout: self = unreachable
      case .invalidURL, .emptyHost: self = .invalidAddress
      case .remoteConnectionClosed, .uncleanShutdown, .readTimeout, .cancelled: self = .interrupted(host: host)
      default: self = .invalidResponse
      }
    case let error as NIOSSLExtraError where error == .failedToValidateHostname: self = .certificateRefused(host: host)
    case NIOSSLError.handshakeFailed(let reason):
      // BoringSSL has no other sign of this reason than its text.
      self =
        "\(reason)".contains("CERTIFICATE_VERIFY_FAILED")
        ? .certificateRefused(host: host) : .interrupted(host: host)
    case is NIOSSLError: self = .interrupted(host: host)
    case is NIOConnectionError: self = unreachable
    case let error as IOError:
      self = Self.isRefusal(error.errnoCode) ? unreachable : .interrupted(host: host)
    case HTTPParserError.invalidEOFState: self = .interrupted(host: host)
    default: self = .invalidResponse
    }
  }

  /// Whether connect(2) failed. NIO reports a single address so, and a failure of several as `NIOConnectionError`.
  private static func isRefusal(_ code: Int32) -> Bool {
    [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT].contains(code)
  }
}
