public import TesseraCryptography

/// A store of P-256 keys. All stores behave in the same way and differ only in the location of the private key.
///
/// All methods may be called concurrently. They throw `KeyStoreError`, the errors of the technology behind the store
/// (`TokenError`, `TPMError`, `SecretServiceError`), and `CancellationError`.
public protocol KeyStore: Sendable {
  /// The identifier of the store: `file`, `tpm2` or a `pkcs11:` URI without secrets.
  var designation: String { get }

  /// Generates a key.
  ///
  /// - Parameters:
  ///   - name: the name of the key.
  ///   - confirmation: the minimum policy of this name. Only `ConfirmationPolicies.set` makes a policy less strict.
  ///   - replacing: whether to replace an existing key of this name. After a crash, the old or the new key exists; in a
  ///     token possibly none.
  /// - Throws: `KeyStoreError.exists` if the key exists and `replacing` is false; `KeyStoreError.tooMany`.
  func generate(_ name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool) async throws -> StoredKey

  /// All readable keys of all owners, sorted by name.
  func keys() async throws -> [StoredKey]

  /// The keys with unreadable files, which `keys` omits.
  func damagedKeys() async throws -> [KeyName]

  /// The description of one key.
  ///
  /// - Throws: `KeyStoreError.notFound`.
  func key(_ name: KeyName) async throws -> StoredKey

  /// Signs a SHA-256 digest with ECDSA.
  ///
  /// - Parameters:
  ///   - digest: 32 bytes.
  ///   - name: the name of the key.
  /// - Throws: `KeyStoreError.notFound`, and the errors of opening the key.
  func sign(digest: [UInt8], with name: KeyName) async throws -> P256Signature

  /// Deletes a key. The policy of its name remains.
  ///
  /// - Returns: false if the key did not exist.
  @discardableResult
  func delete(_ name: KeyName) async throws -> Bool
}

extension KeyStore {
  /// Signs data with ECDSA over their SHA-256 digest, which is computed here (FIPS 186-5, 6.4.1, and FIPS 180-4): what
  /// `openssl dgst -sha256 -verify` accepts. For data that do not fit in memory, or that another program has hashed:
  /// `sign(digest:with:)`.
  ///
  /// - Parameters:
  ///   - data: the data; they may be empty.
  ///   - name: the name of the key.
  /// - Throws: as `sign(digest:with:)`; `CryptographyError` if OpenSSL fails.
  public func sign(_ data: some Collection<UInt8>, with name: KeyName) async throws -> P256Signature {
    try await sign(digest: HashAlgorithm.sha256.digest(of: data), with: name)
  }

  public func damagedKeys() async throws -> [KeyName] { [] }
}
