internal import CTesseraNATS

/// Status values of libnats.
enum NATSStatus {
  /// - Throws: what the status means for a connection that exists.
  static func check(_ status: natsStatus) throws(NATSError) {
    guard status != NATS_OK else { return }
    throw error(status)
  }

  static func error(_ status: natsStatus) -> NATSError {
    switch status {
    case NATS_CONNECTION_CLOSED, NATS_DRAINING: .closed
    case NATS_CONNECTION_DISCONNECTED, NATS_STALE_CONNECTION, NATS_IO_ERROR: .disconnected
    case NATS_TIMEOUT: .timeout
    case NATS_NO_RESPONDERS: .noResponders
    case NATS_INVALID_SUBJECT, NATS_INVALID_QUEUE_NAME: .invalidSubject
    default: .library(Int(status.rawValue))
    }
  }

  /// What the status of an attempt to connect means, which has just ended on this thread.
  ///
  /// - Parameter isTLS: whether an address demands TLS.
  static func connectError(_ status: natsStatus, isTLS: Bool) -> NATSError {
    // libnats tells the reason in this text only, for example "SSL handshake error: 10:certificate has expired".
    let text = nats_GetLastError(nil).map { String(cString: $0) } ?? ""
    return switch status {
    case NATS_PROTOCOL_ERROR where text.hasSuffix("Expected 'PONG', got ''"): .loginBrokenOff
    // "maximum connections exceeded", if libnats still receives it.
    case NATS_ERR where text.contains("maximum "): .loginBrokenOff
    case NATS_NO_SERVER, NATS_TIMEOUT, NATS_IO_ERROR, NATS_CONNECTION_CLOSED, NATS_CONNECTION_DISCONNECTED,
      NATS_ADDRESS_MISSING, NATS_STALE_CONNECTION:
      .unreachable
    case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: .refused
    case NATS_PROTOCOL_ERROR, NATS_LINE_TOO_LONG: .malformedAnswer
    case NATS_SECURE_CONNECTION_WANTED: .tlsMissing
    case NATS_SECURE_CONNECTION_REQUIRED: .tlsRequired
    // libnats begins with TLS by itself if the server demands that.
    case NATS_SSL_ERROR where !isTLS: .tlsRequired
    case NATS_SSL_ERROR: refusedCertificate(text).map { .certificateRefused($0) } ?? .tls
    default: .library(Int(status.rawValue))
    }
  }

  /// The number before OpenSSL's reason; nil if it is another failure than that of the verification.
  private static func refusedCertificate(_ text: String) -> Int? {
    guard let start = text.firstRange(of: "SSL handshake error: ")?.upperBound else { return nil }
    return Int(text[start...].prefix { $0 != ":" })
  }
}
