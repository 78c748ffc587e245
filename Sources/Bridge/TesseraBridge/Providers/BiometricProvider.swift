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

/// The progress of an authentication, which the event `authenticateProgress` reports.
public struct BiometricProgress: Sendable, Hashable {
  public enum State: String, Sendable, CaseIterable {
    case waiting
    case retryScan = "retry_scan"
    case swipeTooShort = "swipe_too_short"
    case fingerNotCentered = "finger_not_centered"
    case removeAndRetry = "remove_and_retry"
    case noMatch = "no_match"
    case password
  }

  public let state: State
  /// The only finger that can answer now, for example "right index finger"; nil for every enrolled one.
  public let finger: String?

  public init(_ state: State, finger: String? = nil) {
    self.state = state
    self.finger = finger
  }

  /// A short text for the user.
  public var message: String {
    let with = finger.map { " with your \($0)" } ?? ""
    return switch state {
    case .waiting: "Touch the \(finger == nil ? "fingerprint " : "")reader\(with)."
    case .retryScan: "The finger was not read well. Touch the reader again\(with)."
    case .swipeTooShort: "The swipe was too short. Swipe again\(with)."
    case .fingerNotCentered: "The finger was not on the middle of the reader. Touch the reader again\(with)."
    case .removeAndRetry: "Lift the finger and touch the reader again\(with)."
    case .noMatch: "The finger was not recognised. Try again\(with)."
    case .password: "Enter your password in the dialog of the system."
    }
  }

  /// The data of the event. Web content does not learn which fingers are enrolled: the prompt of the provider tells the user.
  func payload(for caller: Caller) -> JSONValue {
    let told = caller == .local ? self : Self(state)
    return ["state": .string(state.rawValue), "message": .string(told.message)]
  }
}
