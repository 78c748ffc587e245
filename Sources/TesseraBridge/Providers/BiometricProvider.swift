import TesseraCore

/// Authenticates the user, for example by fingerprint.
public protocol BiometricProvider: Sendable {
  /// Whether a biometric sensor is present and may be used.
  func isAvailable() async -> Bool
  /// `faceId`, `touchId`, `none` or another type of the protocol.
  func getBiometryType() async -> String
  /// Prompts the user. Cancelling the task withdraws the prompt.
  ///
  /// - Parameters:
  ///   - reason: the reason to show, in the words of the caller.
  ///   - caller: the caller to show.
  /// - Throws: any error if the user was not authenticated or declined.
  func authenticate(reason: String, for caller: Caller) async throws
}
