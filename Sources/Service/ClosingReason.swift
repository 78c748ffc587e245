/// Why the service ends a connection. A client on the Unix socket is told by a last event, `lifecycle` / `closing` with
/// `code` and `message`; one on the WebSocket by the code of the close frame (RFC 6455, 7.4), with the same `code` as
/// its reason.
public enum ClosingReason: String, Error, Sendable, CaseIterable {
  case messageTooLarge = "MESSAGE_TOO_LARGE"
  case nestingTooDeep = "NESTING_TOO_DEEP"
  /// A binary frame.
  case notText = "NOT_TEXT"
  /// Text that is not UTF-8.
  case malformedText = "MALFORMED_TEXT"
  /// Frames that RFC 6455 does not allow.
  case protocolError = "PROTOCOL_ERROR"
  case tooManyRequests = "TOO_MANY_REQUESTS"
  case tooManyConnections = "TOO_MANY_CONNECTIONS"
  case slowReader = "SLOW_READER"
  case idle = "IDLE"
  case stopping = "SERVICE_STOPPING"

  public var webSocketCode: UInt16 {
    switch self {
    case .idle: 1000
    case .stopping: 1001
    case .protocolError: 1002
    case .notText: 1003
    case .malformedText: 1007
    case .nestingTooDeep, .slowReader, .tooManyRequests: 1008
    case .messageTooLarge: 1009
    case .tooManyConnections: 1013
    }
  }

  public var message: String {
    switch self {
    case .messageTooLarge: "A message is longer than the service takes."
    case .nestingTooDeep: "A message is nested more deeply than the service takes."
    case .notText: "Messages are text frames."
    case .malformedText: "A message is not UTF-8."
    case .protocolError: "The WebSocket protocol was not kept."
    case .tooManyRequests: "This origin asks much too fast."
    case .tooManyConnections: "Too many connections are open."
    case .slowReader: "Answers were not read for too long."
    case .idle: "Nothing was asked for a long time."
    case .stopping: "The service stops."
    }
  }
}
