import TesseraCore
public import TesseraCryptography
import TesseraDurableFiles
package import TesseraSecretService
import TesseraThreads

extension KeyStoreKind {
  package static let file = KeyStoreKind(
    "file", [.listing, .exchange, .unprotectedKeys],
    help: """
      The store "file" encrypts the key with a secret from the desktop's keyring (Secret Service) if one is available, \
      otherwise with a passphrase.
      """
  ) { FileKeyStore(path: $0.path, newKeys: $0.newKeys, secrets: $0.secrets) }
}

/// A key store in files of the user: PKCS#8, encrypted at rest.
public final class FileKeyStore: KeyStore {
  /// The protection of new keys.
  public enum NewKeys: Sendable {
    /// The Secret Service; if it is unavailable, a passphrase.
    case secretServiceOrPassphrase
    /// The Secret Service; if it is unavailable, a secret in a file of mode 0600. For services, which cannot prompt.
    case secretServiceOrKeyFile
    case passphrase
    case unprotected
  }

  public let designation = KeyStoreKind.file.name
  private let folder: KeyFolder
  private let newKeys: NewKeys
  private let secrets: any SecretPrompting
  private let secretService: @Sendable () async throws -> SecretService?
  private let openKeyCache: OpenKeyCache
  /// File changes wait for locks of other processes, and key derivation from passphrases is slow by design.
  private let work = OwnerWorkQueues<Caller>(threads: 1, name: "key files")

  /// - Parameters:
  ///   - path: the folder that contains all key stores of the user.
  ///   - newKeys: the protection of new keys. Keys that exist keep theirs.
  ///   - secrets: the source of passphrases. By default there is none, and what needs one throws
  ///     `KeyStoreError.secretNeeded`.
  ///   - keysPerOrigin: the limit of keys for each web origin.
  public convenience init(
    path: String = KeyStores.defaultPath, newKeys: NewKeys = .secretServiceOrPassphrase,
    secrets: any SecretPrompting = NonInteractive(), keysPerOrigin: Int = KeyStores.keysPerOrigin
  ) {
    self.init(path: path, newKeys: newKeys, secrets: secrets, keysPerOrigin: keysPerOrigin) {
      try await SecretService.connect()
    }
  }

  /// - Parameters:
  ///   - clock: measures how long an unused key stays open.
  ///   - secretService: connects to the Secret Service; returns nil if it is unavailable.
  package init(
    path: String = KeyStores.defaultPath, newKeys: NewKeys, secrets: any SecretPrompting,
    keysPerOrigin: Int = KeyStores.keysPerOrigin, clock: any MonotonicClock = ContinuousClock(),
    secretService: @escaping @Sendable () async throws -> SecretService?
  ) {
    folder = KeyFolder(path, store: designation, keysPerOrigin: keysPerOrigin)
    self.newKeys = newKeys
    self.secrets = secrets
    self.secretService = secretService
    openKeyCache = OpenKeyCache(clock: clock)
  }

  public func generate(
    _ name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool
  ) async throws -> StoredKey {
    try await store(name, confirmation, replacing) { try SigningKey.generate() }
  }

  /// Stores an existing key.
  ///
  /// - Throws: the errors of `generate`.
  public func `import`(
    _ key: SigningKey, as name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool
  ) async throws -> StoredKey {
    try await store(name, confirmation, replacing) { key }
  }

  public func keys() async throws -> [StoredKey] { try folder.keys() }

  public func damagedKeys() async throws -> [KeyName] { try folder.damagedNames() }

  public func key(_ name: KeyName) async throws -> StoredKey { try folder.key(name) }

  public func sign(digest: [UInt8], with name: KeyName) async throws -> P256Signature {
    var attempts = 0
    while true {
      do {
        return try await openKey(name).sign(digest: digest)
      } catch KeyStoreError.changedConcurrently {
        attempts += 1
        guard attempts < 8 else { throw KeyStoreError.changedConcurrently(name) }
      }
    }
  }

  private func openKey(_ name: KeyName) async throws -> SigningKey {
    guard let identity = try folder.identity(of: name) else {
      throw KeyStoreError.notFound(name, store: designation)
    }
    let version = OpenKeyCache.KeyVersion(name: name, identity: identity)
    if let key = openKeyCache.openKey(version) { return key }
    return try await openKeyCache.key(version) {
      let (file, opened) = try self.read(name)
      guard opened == identity else { throw KeyStoreError.changedConcurrently(name) }
      return try await self.key(in: file, name)
    }
  }

  @discardableResult
  public func delete(_ name: KeyName) async throws -> Bool {
    let (isRemoved, file) = try await work[name.owner].run { [folder] in try folder.remove(name) }
    openKeyCache.remove(name)
    if let file { await deleteSecret(of: file, name) }
    return isRemoved
  }

  /// Opens the private key, for an export.
  ///
  /// - Throws: `KeyStoreError`.
  public func privateKey(_ name: KeyName) async throws -> SigningKey { try await key(in: try read(name).file, name) }

  /// The encrypted key as stored, if it is protected by a passphrase; otherwise nil.
  ///
  /// - Throws: `KeyStoreError.notFound`.
  public func encryptedKey(_ name: KeyName) async throws -> EncryptedPrivateKey? {
    let file = try read(name).file
    return file.protection == .passphrase ? file.envelope : nil
  }

  private func read(_ name: KeyName) throws -> (file: KeyFile, identity: FileIdentity) {
    guard let found = try folder.read(name) else { throw KeyStoreError.notFound(name, store: designation) }
    return found
  }

  private var wrappingSecretFile: WrappingSecret.File { WrappingSecret.File(folder: folder.path) }

  // MARK: - Storing

  private func store(
    _ name: KeyName, _ confirmation: ConfirmationPolicy, _ replacing: Bool, _ make: () throws -> SigningKey
  ) async throws -> StoredKey {
    // Fails before it prompts for a passphrase; `write` checks again under the lock.
    try folder.check(name, replacing: replacing)
    let key = try make()
    var file = KeyFile(
      protection: .unprotected, publicKey: key.publicKey, label: KeyFile.plainLabel, privateKey: try key.pkcs8)
    try await protect(&file, key, name)
    let stored: StoredKey
    let old: KeyFile?
    do {
      (stored, old) = try await work[name.owner].run { [folder, file] in
        try folder.write(file, to: name, confirmation: confirmation, replacing: replacing)
      }
    } catch {
      await deleteSecret(of: file, name)
      throw error
    }
    openKeyCache.remove(name)
    if let old { await deleteSecret(of: old, name) }
    return stored
  }

  private func protect(_ file: inout KeyFile, _ key: SigningKey, _ name: KeyName) async throws {
    switch newKeys {
    case .unprotected: return
    case .passphrase: break
    case .secretServiceOrPassphrase:
      if let secret = try await newKeyringSecret(file, name) {
        return try await encrypt(&file, key, name, under: secret, .secretService)
      }
    case .secretServiceOrKeyFile:
      if let secret = try await newKeyringSecret(file, name) {
        return try await encrypt(&file, key, name, under: secret, .secretService)
      }
      let secret = try await work[name.owner].run { [wrappingSecretFile] in try wrappingSecretFile.readOrCreate() }
      return try await encrypt(&file, key, name, under: secret, .keyFile)
    }
    let passphrase = try await secrets.require(.newPassphrase(key: name.name))
    try await encrypt(&file, key, name, under: passphrase, .passphrase)
  }

  private func encrypt(
    _ file: inout KeyFile, _ key: SigningKey, _ name: KeyName, under secret: SecretBytes,
    _ protection: StoredKey.Protection
  ) async throws {
    let kind = protection == .passphrase ? EncryptedPrivateKey.SecretKind.passphrase : .random
    let envelope = try await work[name.owner].run { try EncryptedPrivateKey(key, under: secret, kind) }
    file.protection = protection
    file.label = KeyFile.encryptedLabel
    file.privateKey = SecretBytes(envelope.der)
  }

  /// Stores a new random secret in the Secret Service.
  ///
  /// - Returns: nil if the Secret Service is unavailable, or the keyring is locked and no prompt is possible.
  private func newKeyringSecret(_ file: KeyFile, _ name: KeyName) async throws -> SecretBytes? {
    guard let service = try await secretService() else { return nil }
    let secret = try WrappingSecret.make()
    do {
      try await secrets.whileKeyringWaits {
        try await service.store(
          secret, label: "Tessera key \(name.label)", attributes: WrappingSecret.attributes(file))
      }
      return secret
    } catch SecretServiceError.locked {
      return nil
    } catch SecretServiceError.serviceUnavailable {
      return nil
    } catch let error as SecretServiceError {
      if error == .promptTimedOut { tellOfSecret(name, "will be in the keyring if you answer its window later", "") }
      throw KeyStoreError.keyringRefused(error.failure)
    }
  }

  /// Deletes the secret of a file, or tells the user that it remains. It is useless without its key.
  private func deleteSecret(of file: KeyFile, _ name: KeyName) async {
    guard file.protection == .secretService else { return }
    do {
      guard let service = try await secretService() else { throw SecretServiceError.serviceUnavailable }
      try await secrets.whileKeyringWaits { _ = try await service.delete(WrappingSecret.attributes(file)) }
    } catch {
      tellOfSecret(name, "remains in the keyring", Failure(error).cause)
    }
  }

  private func tellOfSecret(_ name: KeyName, _ state: String, _ cause: String) {
    secrets.tell(
      "A secret under the name \"Tessera key \(PrintableText.of(name.label))\" \(state). Without its key file it is of no use. "
        + cause)
  }

  // MARK: - Opening

  private func key(in file: KeyFile, _ name: KeyName) async throws -> SigningKey {
    let key: SigningKey
    do {
      key = try await openedKey(in: file, name)
    } catch let error as CryptographyError {
      guard error == .wrongSecret else { throw KeyStoreError.damaged(name, "its private key") }
      throw file.protection == .passphrase
        ? KeyStoreError.wrongPassphrase : KeyStoreError.damaged(name, "its wrapping secret does not decrypt it")
    }
    // The encryption does not authenticate the metadata of the file.
    guard key.publicKey == file.publicKey else {
      throw KeyStoreError.damaged(name, "its public key does not match its private key")
    }
    return key
  }

  private func openedKey(in file: KeyFile, _ name: KeyName) async throws -> SigningKey {
    let secret: SecretBytes
    switch file.protection {
    case .unprotected: return try SigningKey(pkcs8: file.privateKey)
    case .passphrase: secret = try await secrets.require(.passphrase(key: name.name))
    case .keyFile:
      guard let stored = try wrappingSecretFile.read() else { throw KeyStoreError.damaged(name, "its wrapping secret") }
      secret = stored
    case .secretService:
      guard let service = try await secretService() else { throw KeyStoreError.noKeyring(name) }
      let stored = try await secrets.whileKeyringWaits { try await service.lookup(WrappingSecret.attributes(file)) }
      guard let stored else {
        throw KeyStoreError.wrappingSecretMissing(name)
      }
      secret = stored
    default: throw KeyStoreError.damaged(name, "Protection")
    }
    let envelope = file.envelope
    return try await work[name.owner].run { try envelope.key(under: secret) }
  }
}

extension FileKeyStore: PortableKeyStore {}

/// The decrypted keys of this process, each until one second after its last use. Concurrent tasks open a key once, so
/// the user sees one prompt.
struct OpenKeyCache: Sendable {
  /// One version of a key: a new file under the same name is another key.
  struct KeyVersion: Hashable, Sendable {
    let name: KeyName
    let identity: FileIdentity
  }
  private let keys: ExpiringCache<KeyVersion, SigningKey>

  init(clock: any MonotonicClock = ContinuousClock()) { keys = ExpiringCache(clock: clock) }

  /// The key if it is open; otherwise nil.
  func openKey(_ version: KeyVersion) -> SigningKey? { keys.cached(version) }

  /// The open key; calls `open` if it is not open.
  func key(_ version: KeyVersion, open: @escaping @Sendable () async throws -> SigningKey) async throws -> SigningKey {
    try await keys.value(version, get: open)
  }

  func remove(_ name: KeyName) { keys.remove { $0.name == name } }
}
