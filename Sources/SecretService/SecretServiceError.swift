import DBus
public import Failures

/// Why the keyring did not do what it was asked for. None of the cases carries attributes, labels or secrets.
public enum SecretServiceError: Error, Sendable, Equatable {
  /// The user dismissed the prompt, or the service could not show it and did not say so.
  case promptDismissed
  /// Nobody answered the prompt in time.
  case promptTimedOut
  /// What is needed is locked, and there is no way to ask the user.
  case locked
  /// The service, or the bus with it, is no longer there.
  case serviceUnavailable
  /// The service did not answer.
  case timedOut
  /// The service or the bus answered with this D-Bus error, such as `org.freedesktop.DBus.Error.ServiceUnknown`.
  case bus(name: String)
  /// An answer breaks the protocol; the text names the part, never its content.
  case malformedAnswer(String)
  /// What was given cannot be used; the text says why, without quoting it.
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
      case .malformed(let what): .malformedAnswer(what)
      case .invalidArgument(let what): .unusable(what)
      case .system(let operation, let code): .system(operation: operation, code: code)
      }
  }
}

extension SecretServiceError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .promptDismissed:
      Failure(
        .confirmationRefused, "The keyring's prompt was dismissed, or could not be shown.",
        remedy: "Try again and answer the prompt, or unlock the keyring first.")
    case .promptTimedOut:
      Failure(
        .secretNeeded, "Nobody answered the keyring's prompt in time.", remedy: "Try again and answer the prompt.")
    case .locked:
      Failure(
        .secretNeeded, "The keyring is locked, and nobody can be asked here for its password.",
        remedy: "Unlock the keyring in a desktop session, or with gnome-keyring-daemon --unlock.")
    case .serviceUnavailable:
      Failure(
        .keyStoreUnavailable, "The keyring's service is no longer there.",
        remedy: "Log in again, or start a keyring such as gnome-keyring.")
    case .timedOut:
      Failure(
        .keyStoreFailed, "The keyring did not answer in time.", remedy: "See whether the keyring's service hangs.")
    case .bus(let name):
      Failure(
        .keyStoreFailed, "The keyring refused with \(name).", remedy: "See what the log of the keyring's service says.",
        details: ["busError": name])
    case .malformedAnswer(let what):
      Failure(
        .keyStoreFailed, "The keyring's answer is malformed: \(what).", remedy: "Use another keyring, or report this.")
    case .unusable(let what):
      Failure(.usage, "The keyring cannot take this: \(what).", remedy: "Give other attributes or another label.")
    case .system(let operation, let code):
      Failure(
        .keyStoreFailed, "Talking to the keyring failed in \(operation).", remedy: "Try again.",
        details: ["errno": "\(code)"])
    }
  }
}
