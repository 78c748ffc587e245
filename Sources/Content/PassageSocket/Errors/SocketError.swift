package import TesseraHTTPClient

/// The reason why there is no connection to a Socket.IO server.
package indirect enum SocketError: Error, Sendable, Equatable {
  /// The address is neither `https://host:port` nor the same with http and this machine, or its query is too long.
  case invalidAddress
  /// The server or the proxy cannot be reached, is not trusted, or answers with another HTTP status.
  case http(HTTPError)
  /// The server's response to the WebSocket's handshake is invalid.
  case noWebSocket
  case timeLimit(Phase, Duration)
  /// No ping has come for this time: the interval of the pings and their timeout, as the server named them.
  case silent(Duration)
  /// The server violates Engine.IO 4 or Socket.IO 5.
  case invalidMessage(SocketProtocolError)
  /// The server violates the WebSocket protocol.
  case invalidFrame(FrameViolation)
  /// The connection ended without an explanation.
  case interrupted
  /// The server closed the connection, with this status code of the WebSocket if it named one.
  case closedByServer(code: Int?)
  /// The server does not let the client join the namespace (CONNECT_ERROR). The server wrote the message.
  case refused(message: String)
  /// The server removed the client from the namespace (DISCONNECT).
  case disconnectedByServer
  /// The server sent more than the client keeps.
  case flooded
  /// The attempts to connect again have failed, the last one for this reason.
  case gaveUp(attempts: Int, last: SocketError)

  /// A phase of a connection that has a time limit.
  package enum Phase: String, Sendable {
    case connecting, upgrading, joining
  }

  /// A violation of RFC 6455 by the server.
  package enum FrameViolation: String, Sendable {
    /// The frame is masked, which a server's never is (5.1).
    case masked
    /// A reserved bit is set, although no extension was agreed on (5.2).
    case reservedBits
    /// The type of the frame is reserved (5.2).
    case unknownType
    /// A fragment without a beginning, a beginning within a message, or a control frame in fragments (5.4).
    case fragmentation
    /// A control frame has more than 125 bytes (5.5).
    case controlLength
    /// The message is longer than `SocketConfiguration.Limits.message`, or has more than 1,024 fragments.
    case tooLarge
    /// The text is not UTF-8 (8.1).
    case malformedText
    /// The body of the close frame is malformed (5.5.1).
    case malformedClose
  }

  /// Whether another attempt may succeed: the network or the server was interrupted. An answer that the server gave on
  /// purpose, a violation of a protocol and a certificate that is not trusted stay what they are.
  package var isTransient: Bool {
    switch self {
    case .http(let error): Self.isTransient(error)
    case .timeLimit, .silent, .interrupted, .closedByServer: true
    case .invalidAddress, .noWebSocket, .invalidMessage, .invalidFrame, .refused, .disconnectedByServer, .flooded,
      .gaveUp:
      false
    }
  }

  private static func isTransient(_ error: HTTPError) -> Bool {
    switch error {
    case .unreachable, .proxyRefused, .interrupted, .timeLimit: true
    case .status(let status): status >= 500 || status == 408 || status == 429
    default: false
    }
  }
}
