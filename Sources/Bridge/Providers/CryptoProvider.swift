/// Holds P-256 keys by reference and signs with them. Each caller has references of its own.
public protocol CryptoProvider: Sendable {
  /// Makes a key pair; one that exists under this reference is replaced.
  ///
  /// - Parameter needsPresence: whether a person has to agree to every signature of web content.
  func generateKey(_ keyRef: String, needsPresence: Bool, for caller: BridgeCaller) async throws

  /// The public key in base64; nil where there is no such key.
  func getPublicKey(_ keyRef: String, as form: CryptoPublicKeyForm, for caller: BridgeCaller) async throws -> String?

  /// ECDSA with SHA-256 over the decoded message.
  ///
  /// - Parameter data: the message in base64.
  /// - Returns: the DER signature in base64; nil where it could not be made.
  func sign(_ keyRef: String, _ data: String, for caller: BridgeCaller) async throws -> String?

  /// Succeeds also where there is no such key.
  func deleteKey(_ keyRef: String, for caller: BridgeCaller) async throws
}

/// The two encodings that the existing native sides give.
public enum CryptoPublicKeyForm: String, Sendable, CaseIterable {
  /// The uncompressed point, 65 bytes.
  case point
  /// `SubjectPublicKeyInfo`, 91 bytes.
  case spki
}
