import TesseraCore

/// Stores P-256 keys by reference and signs with them. Each caller has its own references.
public protocol CryptoProvider: Sendable {
  /// Generates a key pair and replaces an existing one with this reference.
  ///
  /// - Parameters:
  ///   - keyRef: the reference of the key.
  ///   - needsPresence: whether the user must confirm every signature that web content requests.
  ///   - caller: the owner of the key.
  func generateKey(_ keyRef: String, needsPresence: Bool, for caller: Caller) async throws

  /// Returns the public key in base64; nil if there is no such key.
  func getPublicKey(_ keyRef: String, as form: CryptoPublicKeyForm, for caller: Caller) async throws -> String?

  /// Signs the decoded message by ECDSA with SHA-256.
  ///
  /// - Parameters:
  ///   - data: the message in base64.
  ///   - keyRef: the reference of the key.
  ///   - caller: the owner of the key.
  /// - Returns: the DER signature in base64; nil if signing failed.
  func sign(_ keyRef: String, _ data: String, for caller: Caller) async throws -> String?

  /// The same, in another encoding. By default only DER is known, and others throw `INVALID_PARAMS`.
  func sign(
    _ keyRef: String, _ data: String, as form: CryptoSignatureForm, for caller: Caller
  ) async throws -> String?

  /// Deletes the key. Succeeds if there is no such key.
  func deleteKey(_ keyRef: String, for caller: Caller) async throws
}

extension CryptoProvider {
  public func sign(
    _ keyRef: String, _ data: String, as form: CryptoSignatureForm, for caller: Caller
  ) async throws -> String? {
    guard form == .der else { throw BridgeError("INVALID_PARAMS", "The provider makes signatures in DER only.") }
    return try await sign(keyRef, data, for: caller)
  }
}

/// The encodings of a signature.
public enum CryptoSignatureForm: String, Sendable, CaseIterable {
  /// `Ecdsa-Sig-Value` (RFC 3279, section 2.2.3), as OpenSSL has it.
  case der
  /// r and s, 32 bytes each (IEEE P1363), as WebCrypto has it.
  case p1363
}

/// The encodings of a public key.
public enum CryptoPublicKeyForm: String, Sendable, CaseIterable {
  /// The uncompressed point, 65 bytes.
  case point
  /// `SubjectPublicKeyInfo`, 91 bytes.
  case spki
}
