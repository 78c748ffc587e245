/// The reason why the service closes a connection. A client on the Unix socket receives a last event, `lifecycle` /
/// `closing`, with `code` and `message`. A client on the WebSocket receives a close frame with a status code (RFC 6455,
/// 7.4) and the same `code` as its reason.
package enum ClosingReason: String, Error, Sendable, CaseIterable {
  case messageTooLarge = "MESSAGE_TOO_LARGE"
  case nestingTooDeep = "NESTING_TOO_DEEP"
  /// The client sent a binary frame.
  case notText = "NOT_TEXT"
  /// The client sent text that is not UTF-8.
  case malformedText = "MALFORMED_TEXT"
  /// The client violated RFC 6455.
  case protocolError = "PROTOCOL_ERROR"
  case tooManyRequests = "TOO_MANY_REQUESTS"
  case tooManyConnections = "TOO_MANY_CONNECTIONS"
  case slowReader = "SLOW_READER"
  case idle = "IDLE"
  case stopping = "SERVICE_STOPPING"

  /// The status code of the close frame.
  package var webSocketCode: UInt16 {
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

  package var message: String {
    switch self {
    case .messageTooLarge: "A message exceeds the maximum length."
    case .nestingTooDeep: "A message exceeds the maximum nesting depth."
    case .notText: "A message is not a text frame."
    case .malformedText: "A message is not UTF-8."
    case .protocolError: "The client violated the WebSocket protocol."
    case .tooManyRequests: "This origin exceeded its rate limit."
    case .tooManyConnections: "Too many connections are open."
    case .slowReader: "The client did not read its responses fast enough."
    case .idle: "The connection was idle for too long."
    case .stopping: "The service is stopping."
    }
  }
}
