package import TesseraCore
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
    /// The frame is masked, which a server's never is (RFC 6455, 5.1).
    case masked
    /// A reserved bit is set, although no extension was agreed on (RFC 6455, 5.2).
    case reservedBits
    /// The type of the frame is reserved (RFC 6455, 5.2).
    case unknownType
    /// A fragment without a beginning, a beginning within a message, or a control frame in fragments (RFC 6455, 5.4).
    case fragmentation
    /// A control frame has more than 125 bytes (RFC 6455, 5.5).
    case controlLength
    /// The message is longer than `SocketConfiguration.Limits.message`, or has more than 1,024 fragments.
    case tooLarge
    /// The text is not UTF-8 (RFC 6455, 8.1).
    case malformedText
    /// The body of the close frame is malformed (RFC 6455, 5.5.1).
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
    // A server that is being started again may refuse TLS for a moment.
    case .unreachable, .proxyRefused, .interrupted, .timeLimit, .notSecure: true
    case .status(let status): status >= 500 || status == 408 || status == 429
    default: false
    }
  }
}

extension SocketError: FailureConvertible {
  package var failure: Failure {
    switch self {
    case .invalidAddress:
      Failure(
        .usage, "The address of the socket is invalid.",
        remedy: "Use an address such as https://example.org, or http://127.0.0.1:3000 for this machine.")
    case .http(let error): error.failure
    case .noWebSocket: Self.failure("The server at the address of the socket does not speak WebSocket.", Self.address)
    case .timeLimit(let phase, let limit):
      Self.failure("The server did not answer within \(limit.components.seconds) seconds (\(phase.rawValue)).")
    case .silent(let limit):
      Self.failure("The server has sent no ping for \(limit.components.seconds) seconds.")
    case .invalidMessage(let error): error.failure
    case .invalidFrame(let violation):
      Failure(
        .protocolViolation, "The server violates the WebSocket protocol (\(violation.rawValue)).", remedy: Self.address)
    case .interrupted: Self.failure("The connection to the server was interrupted.")
    case .closedByServer(let code):
      Self.failure("The server closed the connection\(code.map { " with the code \($0)" } ?? "").")
    case .refused(let message):
      Self.failure("The server refused the connection\(Self.quoted(message)).", "Begin a new session.")
    case .disconnectedByServer: Self.failure("The server ended the session.", "Begin a new session.")
    case .flooded:
      Failure(
        .protocolViolation, "The server sent more than can be processed.",
        remedy: "Report it to those who run the server.")
    case .gaveUp(let attempts, let last):
      Self.failure("The server could not be reached again in \(attempts) attempts. \(last.failure.cause)")
    }
  }

  private static let address = "Check that the address is that of a Socket.IO server of version 3 or later."

  private static func failure(
    _ cause: String, _ remedy: String = "Check the connection to the network, and try again later."
  ) -> Failure {
    Failure(.serviceUnavailable, cause, remedy: remedy)
  }

  /// A server's text for the user: what a terminal may interpret is left out, and so is what is too long.
  private static func quoted(_ message: String) -> String {
    let text = PrintableText.of(String(message.prefix(200)))
    return text.isEmpty ? "" : ": “\(text)”"
  }
}

extension SocketError {
  /// An error before the WebSocket is open.
  init(whileConnecting error: any Error) {
    switch error {
    case let error as SocketError: self = error
    case HTTPError.invalidResponse: self = .noWebSocket
    case HTTPError.interrupted: self = .interrupted
    case let error as HTTPError: self = .http(error)
    default: self = .interrupted
    }
  }

  static let normalClosure = 1000

  /// The status code with which the client closes the WebSocket for this reason (RFC 6455, 7.4.1).
  var closingCode: Int {
    switch self {
    case .invalidFrame(.tooLarge): 1009
    case .invalidMessage(.unannounced): 1003
    case .invalidFrame(.malformedText): 1007
    case .invalidFrame, .invalidMessage: 1002
    case .flooded: 1008
    default: Self.normalClosure
    }
  }
}
