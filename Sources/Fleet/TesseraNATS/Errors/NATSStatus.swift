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

  /// What the status of an attempt to connect means.
  static func connectError(_ status: natsStatus) -> NATSError {
    switch status {
    case NATS_NO_SERVER, NATS_TIMEOUT, NATS_IO_ERROR, NATS_CONNECTION_CLOSED, NATS_CONNECTION_DISCONNECTED,
      NATS_ADDRESS_MISSING, NATS_STALE_CONNECTION:
      .unreachable
    case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: .refused
    case NATS_PROTOCOL_ERROR, NATS_LINE_TOO_LONG: .malformedAnswer
    case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_WANTED, NATS_SECURE_CONNECTION_REQUIRED: .tls
    default: .library(Int(status.rawValue))
    }
  }
}
