/// Asks the user to prove presence, by fingerprint for example.
public protocol BiometricProvider: Sendable {
  func isAvailable() async -> Bool
  /// `faceId`, `touchId`, `none` or another word of the protocol.
  func getBiometryType() async -> String
  /// Cancelling the task withdraws the question.
  ///
  /// - Parameters:
  ///   - reason: what the user is told; the asker's own words.
  ///   - caller: who asks. The user is told that too.
  /// - Throws: where the user could not be recognised or declined.
  func authenticate(reason: String, for caller: BridgeCaller) async throws
}
