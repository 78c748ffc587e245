internal import CSystemd
import Failures
import Foundation

/// Why a conversation on a bus failed. None of the cases carries what was said in it: a service's error message is
/// free text of a stranger and may quote its input, so only the error's name is kept.
public enum BusError: Error, Sendable, Equatable {
  /// There is no such bus here: no address is set, or nobody listens at it.
  case noBus
  /// The bus closed the connection, or died.
  case disconnected
  /// No answer within the limit.
  case timedOut
  /// A wait was ended by its `BusInterruption`.
  case interrupted
  /// The peer whose signal was waited for left the bus.
  case peerVanished
  /// The peer, or the bus in its place, answered with this error, such as
  /// `org.freedesktop.DBus.Error.ServiceUnknown`. The bus library has checked the name's syntax (ASCII, at most 255
  /// characters).
  case remote(name: String)
  /// An answer does not have the promised shape; the text says what was read.
  case malformed(String)
  /// What was to be sent cannot be: a string with a zero character, a bad path, name or signature.
  case invalidArgument(String)
  /// A call of the bus library failed, with this `errno`.
  case system(operation: String, code: Int32)

  /// The error for a negative result of opening or driving a connection.
  static func connection(_ operation: String, _ result: Int32) -> BusError {
    switch -result {
    case ENOENT, ECONNREFUSED, ENOMEDIUM: .noBus
    case ECONNRESET, ENOTCONN, EPIPE, ESHUTDOWN: .disconnected
    case ETIMEDOUT, ETIME: .timedOut
    default: .system(operation: operation, code: -result)
    }
  }

  /// The error for a negative result of appending to a message.
  static func writing(_ what: String, _ result: Int32) -> BusError {
    switch -result {
    case EINVAL, ENXIO: .invalidArgument(what)
    default: .system(operation: "appending \(what)", code: -result)
    }
  }

  /// The error for a negative result of reading a message.
  static func reading(_ what: String, _ result: Int32) -> BusError {
    -result == ENOMEM ? .system(operation: "reading \(what)", code: ENOMEM) : .malformed(what)
  }
}

extension BusError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .noBus:
      Failure(
        .keyStoreUnavailable, "There is no message bus here.",
        remedy: "Run this in a desktop session, or under dbus-run-session.")
    case .disconnected: Failure(.keyStoreUnavailable, "The message bus closed the connection.")
    case .timedOut: Failure(.keyStoreFailed, "A service on the message bus did not answer in time.")
    case .interrupted: Failure(.cancelled, "The operation was cancelled.")
    case .peerVanished: Failure(.keyStoreUnavailable, "A service left the message bus in the middle of a request.")
    case .remote(let name):
      Failure(
        .keyStoreFailed, "A service on the message bus refused a request with \(name).", details: ["busError": name])
    case .malformed(let what):
      Failure(.keyStoreFailed, "A service on the message bus sent a malformed answer: \(what).")
    case .invalidArgument(let what): Failure(.usage, "\(what) cannot be sent over the message bus.")
    case .system(let operation, let code):
      Failure(
        .keyStoreFailed, "The message bus failed in \(operation): \(String(cString: strerror(code))).",
        details: ["errno": "\(code)"])
    }
  }
}
