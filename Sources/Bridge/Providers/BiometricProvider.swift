/// Asks the user to prove presence, by fingerprint for example.
public protocol BiometricProvider: Sendable {
  func isAvailable() async -> Bool
  /// `faceId`, `touchId`, `none` or another word of the protocol.
  func getBiometryType() async -> String
  /// - Parameter reason: what the user is told.
  /// - Throws: where the user could not be recognised or declined.
  func authenticate(reason: String) async throws
}
