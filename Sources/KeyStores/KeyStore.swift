public import Cryptography

/// A place where P-256 keys stay. All stores behave alike; what differs is where the private key is.
///
/// Every method may be called from many tasks at once. They throw `KeyStoreError`, and what is behind the store throws:
/// `TokenError`, `TPMError`, `SecretServiceError`; `CancellationError` where the task is cancelled.
public protocol KeyStore: Sendable {
  /// What `--store` calls it: `file`, `tpm2` or a `pkcs11:` URI without secrets.
  var designation: String { get }

  /// Makes a key.
  ///
  /// - Parameters:
  ///   - confirmation: what the policy of this name is made where it is less strict; only `ConfirmationPolicies.set` makes
  ///     one less strict.
  ///   - replacing: whether a key of this name gives way. A crash in the middle leaves the old one or the new one, in a
  ///     token perhaps none.
  /// - Throws: `KeyStoreError.exists` where it must not; `KeyStoreError.tooMany`.
  func generate(_ name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool) async throws -> StoredKey

  /// All keys of all owners, ordered by name.
  func keys() async throws -> [StoredKey]

  /// Those whose files cannot be read, and which `keys` therefore leaves out.
  func damagedKeys() async throws -> [KeyName]

  /// - Throws: `KeyStoreError.notFound`.
  func key(_ name: KeyName) async throws -> StoredKey

  /// ECDSA over a SHA-256 digest.
  ///
  /// - Parameter digest: 32 bytes.
  /// - Throws: `KeyStoreError.notFound`, and whatever keeps the key closed.
  func sign(digest: [UInt8], with name: KeyName) async throws -> P256Signature

  /// Deletes a key; the policy of its name stays.
  ///
  /// - Returns: false where there was no such key.
  @discardableResult
  func delete(_ name: KeyName) async throws -> Bool
}

extension KeyStore {
  public func damagedKeys() async throws -> [KeyName] { [] }
}
