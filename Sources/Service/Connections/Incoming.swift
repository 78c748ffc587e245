import NIOCore

/// What a framing takes from the wire.
enum Incoming: Sendable {
  case message(String)
  /// A message that is not taken, of which this is the beginning: its asker may be found in it.
  case refused(beginning: ByteBuffer, bytes: Int, ClosingReason)

  /// How many times the greatest length a message may be to be passed over. What is longer ends the connection.
  static let passedOver = 16

  /// What reading it costs.
  var bytes: Int {
    switch self {
    case .message(let text): text.utf8.count
    case .refused(_, let bytes, _): bytes
    }
  }

  /// What is looked at where it came from, on the event loop. Longer ones make nobody wait but their own connection.
  var isShort: Bool {
    switch self {
    case .message(let text): text.utf8.count <= 4_096
    case .refused(let beginning, _, _): beginning.readableBytes <= 4_096
    }
  }
}
