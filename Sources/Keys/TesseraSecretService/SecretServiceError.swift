package import TesseraCore
internal import TesseraCryptography
import TesseraDBus

/// An error of the keyring. No case contains attributes, labels or secrets.
package enum SecretServiceError: Error, Sendable, Equatable {
  /// The user dismissed the prompt, or the service could not show it.
  case promptDismissed
  /// The prompt was not answered in time.
  case promptTimedOut
  /// The collection or item is locked, and no prompt can be shown.
  case locked
  /// The service or the bus has ended.
  case serviceUnavailable
  /// The service did not respond.
  case timedOut
  /// The service or the bus answered with this D-Bus error, such as `org.freedesktop.DBus.Error.ServiceUnknown`.
  case bus(name: String)
  /// A reply violates the protocol; the text names the part, not its content.
  case malformedResponse(String)
  /// A parameter cannot be used; the text contains the reason, not the value.
  case unusable(String)
  /// A call of the operating system failed, with this `errno`.
  case system(operation: String, code: Int32)

  init(_ error: BusError) {
    self =
      switch error {
      case .noBus, .disconnected, .peerVanished: .serviceUnavailable
      case .timedOut, .interrupted: .timedOut
      case .remote("org.freedesktop.Secret.Error.IsLocked"): .locked
      case .remote(let name): .bus(name: name)
      case .malformed(let what): .malformedResponse(what)
      case .invalidArgument(let what): .unusable(what)
      case .system(let operation, let code): .system(operation: operation, code: code)
      }
  }
}

extension SecretServiceError: LocalizedFailure {
  package var failure: Failure {
    switch self {
    case .promptDismissed:
      Failure(
        .confirmationRefused, "The keyring's prompt was dismissed, or could not be shown.",
        remedy: "Try again and answer the prompt, or unlock the keyring first.")
    case .promptTimedOut:
      Failure(
        .secretNeeded, "The keyring waited two minutes for an answer in its window.",
        remedy: "Try again, and answer the keyring's window, or unlock the keyring first.")
    case .locked:
      Failure(
        .secretNeeded, "The keyring is locked, and no prompt for its password can be shown.",
        remedy: "Unlock the keyring in a desktop session, or with gnome-keyring-daemon --unlock.")
    case .serviceUnavailable:
      Failure(
        .keyStoreUnavailable, "The keyring's service has ended.",
        remedy: "Log in again, or start a keyring such as gnome-keyring.")
    case .timedOut:
      Failure(
        .keyStoreFailed, "The keyring did not respond in time.", remedy: "Check the keyring's service, or restart it.")
    case .bus(let name):
      Failure(
        .keyStoreFailed, "The keyring answered with the error \(name).",
        remedy: "Check the log of the keyring's service.",
        details: ["busError": name])
    case .malformedResponse(let what):
      Failure(
        .keyStoreFailed, "The keyring's reply is malformed: \(what).", remedy: "Use another keyring, or report this.")
    case .unusable(let what):
      Failure(.usage, "The keyring cannot store this: \(what).", remedy: "Use other attributes or another label.")
    case .system(let operation, let code):
      Failure(
        .keyStoreFailed, "The connection to the keyring failed in \(operation).", remedy: "Try again.",
        details: ["errno": "\(code)"])
    }
  }
}
