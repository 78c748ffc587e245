import TesseraCore

/// Authenticates the user, for example by fingerprint.
///
/// A provider implements the short forms of `authenticate` and `isAvailable`. The default longer forms call them; a provider
/// that reports progress, may be answered by a password, or distinguishes callers implements the longer forms as well.
public protocol BiometricProvider: Sendable {
  /// Whether a biometric sensor is present and may be used.
  func isAvailable() async -> Bool
  /// Whether `authenticate` can succeed for this caller now. By default the same for every caller.
  func isAvailable(for caller: Caller) async -> Bool
  /// `faceId`, `touchId`, `none` or another type of the protocol.
  func getBiometryType() async -> String
  /// Prompts the user. Cancelling the task withdraws the prompt.
  ///
  /// - Parameters:
  ///   - reason: the reason to show, in the words of the caller.
  ///   - caller: the caller to show.
  /// - Throws: any error if the user was not authenticated or declined.
  func authenticate(reason: String, for caller: Caller) async throws
  /// The same with progress. By default reports none and returns `.biometric`.
  ///
  /// - Parameters:
  ///   - reason: the reason to show, in the words of the caller.
  ///   - caller: the caller to show.
  ///   - onProgress: is called on any thread, in order.
  /// - Returns: how the user was authenticated.
  func authenticate(
    reason: String, for caller: Caller, onProgress: @escaping @Sendable (BiometricProgress) -> Void
  ) async throws -> AuthenticationMethod
}

extension BiometricProvider {
  public func isAvailable(for caller: Caller) async -> Bool { await isAvailable() }

  public func authenticate(
    reason: String, for caller: Caller, onProgress: @escaping @Sendable (BiometricProgress) -> Void
  ) async throws -> AuthenticationMethod {
    try await authenticate(reason: reason, for: caller)
    return .biometric
  }
}

/// How the user was authenticated.
public enum AuthenticationMethod: String, Sendable, CaseIterable {
  case biometric
  /// The password of the user's account, where the host permits it instead of a finger.
  case deviceCredential
}

/// The state of an authentication, which the event `authenticateProgress` reports.
public enum BiometricProgress: String, Sendable, CaseIterable {
  case waiting
  case retryScan = "retry_scan"
  case swipeTooShort = "swipe_too_short"
  case fingerNotCentered = "finger_not_centered"
  case removeAndRetry = "remove_and_retry"
  case noMatch = "no_match"
  case password

  /// A short text for the user.
  public var message: String {
    switch self {
    case .waiting: "Touch the fingerprint reader."
    case .retryScan: "The finger was not read well. Touch the reader again."
    case .swipeTooShort: "The swipe was too short. Swipe again."
    case .fingerNotCentered: "The finger was not on the middle of the reader. Touch the reader again."
    case .removeAndRetry: "Lift the finger and touch the reader again."
    case .noMatch: "The finger was not recognised. Try again."
    case .password: "Enter your password in the dialog of the system."
    }
  }

  var payload: JSONValue { ["state": .string(rawValue), "message": .string(message)] }
}
