package import TesseraCore

/// The reason why an event, or an acknowledgement, was not sent or not confirmed.
package enum SocketEmissionError: FailureConvertible, Equatable {
  /// The event may not be sent: its name is reserved or has an invalid length.
  case invalid(SocketProtocolError)
  /// The event has more bytes than the server accepts, or than any server does. Nothing was sent.
  case tooLarge(limit: Int)
  /// There is no connection at the moment. Nothing was sent.
  case notConnected
  /// Too many events wait until they are sent. Nothing was sent.
  case full
  /// The time limit has passed before there was a connection. Nothing was sent, and nothing will be.
  case timeLimit(Duration)
  /// The event was given to a connection, and was not confirmed within the time limit: by the server, or by the operating
  /// system if no acknowledgement is wanted. It may have arrived, or arrive later.
  case unconfirmed(Duration)
  /// The connection was lost after the event was given to it. Whether it has arrived is unknown. It is not sent again.
  case interrupted
  /// The event of the server needs no acknowledgement, has one already, or its connection is over.
  case nothingToAcknowledge
  /// The client has ended: for this reason, or because it was closed. Nothing was sent.
  case ended(SocketError?)

  package var failure: Failure {
    switch self {
    case .invalid(let error): error.failure
    case .tooLarge(let limit):
      Failure(
        .serviceUnavailable, "A message for the server has more than the \(limit) bytes that it accepts.",
        remedy: "Let those who run the server raise its limit.")
    case .notConnected: Self.failure("There is no connection to the server.")
    case .full: Self.failure("Too many messages wait for the connection to the server.")
    case .timeLimit(let limit):
      Self.failure("There was no connection to the server within \(limit.components.seconds) seconds.")
    case .unconfirmed(let limit):
      Self.failure("A message for the server was not confirmed within \(limit.components.seconds) seconds.")
    case .interrupted: Self.failure("The connection was lost while a message was sent.")
    case .nothingToAcknowledge: Self.failure("The server no longer waits for this confirmation.")
    case .ended(let error): error?.failure ?? Self.failure("The connection to the server was closed.")
    }
  }

  private static func failure(_ cause: String) -> Failure {
    Failure(.serviceUnavailable, cause, remedy: "Check the connection to the network, and try again later.")
  }
}
