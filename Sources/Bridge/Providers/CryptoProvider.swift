/// Holds P-256 keys by reference and signs with them.
public protocol CryptoProvider: Sendable {
  /// Makes a key pair; one that exists under this reference is replaced.
  func generateKey(_ keyRef: String) async throws
  /// The uncompressed point (65 bytes) in base64; nil where there is no such key.
  func getPublicKey(_ keyRef: String) async throws -> String?
  /// ECDSA with SHA-256 over the decoded message.
  ///
  /// - Parameter data: the message in base64.
  /// - Returns: the DER signature in base64; nil where it could not be made.
  func sign(_ keyRef: String, _ data: String) async throws -> String?
  /// Succeeds also where there is no such key.
  func deleteKey(_ keyRef: String) async throws
}
