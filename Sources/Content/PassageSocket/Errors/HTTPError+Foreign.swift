internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import TesseraHTTPClient

extension HTTPError {
  /// An error of NIO as one of these.
  ///
  /// - Parameter proxy: the host of the proxy on the way.
  init(_ error: any Error, host: String, proxy: String?) {
    let unreachable: HTTPError = proxy.map { .proxyRefused(host: $0) } ?? .unreachable(host: host)
    switch error {
    case let error as HTTPError: self = error
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
