import NIOCore

/// One message as a framing receives it.
enum Incoming: Sendable {
  case message(String)
  /// A message that the service does not accept, by its beginning: the request's identifier may be found there, so that
  /// the refusal can be answered.
  case refused(beginning: ByteBuffer, bytes: Int, ClosingReason)

  /// An oversized message is skipped up to this multiple of the maximum length. A longer one ends the connection.
  static let skippedMultiple = 16

  /// The number of bytes to parse.
  var bytes: Int {
    switch self {
    case .message(let text): text.utf8.count
    case .refused(_, let bytes, _): bytes
    }
  }

  /// Whether the message is parsed on the event loop. A long one is parsed on another thread, so that other connections
  /// do not wait for it.
  var isShort: Bool {
    switch self {
    case .message(let text): text.utf8.count <= 4_096
    case .refused(let beginning, _, _): beginning.readableBytes <= 4_096
    }
  }
}
