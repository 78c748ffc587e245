import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The reason why a download failed.
public enum HTTPDownloadError: Error, Sendable, Equatable {
  /// The text is no address, contains other characters than visible ones of ASCII, or contains a user's name.
  case invalidAddress
  /// The address does not start with `https://`.
  case notHTTPS
  /// The file that `SSL_CERT_FILE` names cannot be read, or has no certificates in PEM.
  case certificateFile(String)
  /// The host's name is unknown, or it does not answer.
  case unreachable(host: String)
  /// The server's certificate is not valid for the host, or none of the roots issued it.
  case certificateRefused(host: String)
  /// The server answered with another HTTP status than 200.
  case status(Int)
  case redirect(RedirectProblem)
  /// The file has more than this number of bytes.
  case tooLarge(limit: Int)
  case timeLimit(Duration)
  /// The connection ended before the file was complete.
  case interrupted(host: String)
  /// The response violates HTTP, or is compressed although this was not requested.
  case invalidResponse

  public enum RedirectProblem: Sendable, Equatable {
    case notHTTPS
    case otherHost(String)
    /// More than five.
    case tooMany
    /// No address, or an invalid one.
    case invalid
  }

  /// The error of the HTTP client as one of these.
  init(_ error: any Error, host: String) {
    switch error {
    case let error as HTTPDownloadError: self = error
    case let error as HTTPClientError:
      switch error {
      case .connectTimeout, .tlsHandshakeTimeout: self = .unreachable(host: host)
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
    case is NIOConnectionError: self = .unreachable(host: host)
    case let error as IOError:
      self = Self.isRefusal(error.errnoCode) ? .unreachable(host: host) : .interrupted(host: host)
    case HTTPParserError.invalidEOFState: self = .interrupted(host: host)
    default: self = .invalidResponse
    }
  }

  /// Whether connect(2) failed. NIO reports a single address so, and a failure of several as `NIOConnectionError`.
  private static func isRefusal(_ code: Int32) -> Bool {
    [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT].contains(code)
  }
}
