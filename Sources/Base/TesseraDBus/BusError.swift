internal import CTesseraSystemd
import Glibc
import TesseraCore

/// An error of a connection to a message bus or of a call. Error messages of services are not included, since they may
/// quote secrets; only the error's name is.
package enum BusError: Error, Sendable, Equatable {
  /// There is no such bus: no address is set, or no process listens there.
  case noBus
  /// The bus closed the connection or ended.
  case disconnected
  /// No reply within the time limit.
  case timedOut
  /// A `BusInterruption` ended the wait.
  case interrupted
  /// The sender of a signal left the bus.
  case peerVanished
  /// The peer or the bus answered with this D-Bus error, such as `org.freedesktop.DBus.Error.ServiceUnknown`. The
  /// library has checked the name's syntax (ASCII, at most 255 characters).
  case remote(name: String)
  /// A reply does not have the expected type; the text names the part.
  case malformed(String)
  /// A value cannot be sent: a string with a zero character, an invalid path, name or signature.
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

extension BusError: FailureConvertible {
  package var failure: Failure {
    switch self {
    case .noBus:
      Failure(
        .keyStoreUnavailable, "There is no message bus.",
        remedy: "Run this in a desktop session, or under dbus-run-session.")
    case .disconnected: Failure(.keyStoreUnavailable, "The message bus closed the connection.")
    case .timedOut: Failure(.keyStoreFailed, "A service on the message bus did not answer in time.")
    case .interrupted: Failure(.cancelled, "The operation was cancelled.")
    case .peerVanished: Failure(.keyStoreUnavailable, "A service left the message bus during a request.")
    case .remote(let name):
      Failure(
        .keyStoreFailed, "A service on the message bus answered a request with the error \(name).",
        details: ["busError": name])
    case .malformed(let what):
      Failure(.keyStoreFailed, "A service on the message bus sent a malformed reply: \(what).")
    case .invalidArgument(let what): Failure(.usage, "\(what) cannot be sent over the message bus.")
    case .system(let operation, let code):
      Failure(
        .keyStoreFailed, "The message bus failed in \(operation): \(String(cString: strerror(code))).",
        details: ["errno": "\(code)"])
    }
  }
}
