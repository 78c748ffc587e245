package import TesseraCore
internal import TesseraHTTPClient

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

  /// A server's text for people: what a terminal may interpret is left out, and so is what is too long.
  private static func quoted(_ message: String) -> String {
    let text = PrintableText.of(String(message.prefix(200)))
    return text.isEmpty ? "" : ": “\(text)”"
  }
}
