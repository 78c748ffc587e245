public import Cryptography
import DurableFiles
public import SecretService
import Threads

/// Keys in files of the user's: PKCS#8, encrypted at rest.
public final class FileKeyStore: KeyStore {
  /// How new keys are protected.
  public enum NewKeys: Sendable {
    /// By the Secret Service; where there is none, by a passphrase that is asked for.
    case secretServiceOrPassphrase
    /// By the Secret Service; where there is none, by a secret in a file of mode 0600. For services, which have nobody
    /// to ask.
    case secretServiceOrKeyFile
    case passphrase
    case unprotected
  }

  public let designation = "file"
  private let folder: KeyFolder
  private let newKeys: NewKeys
  private let secrets: any SecretAsking
  private let secretService: @Sendable () async throws -> SecretService?
  private let openKeys = OpenKeys()
  /// Changes wait for other processes, and passphrases are slow on purpose.
  private let work = OwnerQueues<KeyOwner>(threads: 1, name: "key files")

  /// - Parameters:
  ///   - path: the folder of all key stores of a user.
  ///   - secrets: knows the passphrases.
  ///   - keysPerOrigin: how many keys one web origin can have.
  ///   - secretService: connects to the Secret Service; nil where there is none.
  public init(
    path: String = KeyStores.defaultPath, newKeys: NewKeys, secrets: any SecretAsking,
    keysPerOrigin: Int = KeyStores.keysPerOrigin,
    secretService: @escaping @Sendable () async throws -> SecretService? = { try await SecretService.connect() }
  ) {
    folder = KeyFolder(path, store: designation, keysPerOrigin: keysPerOrigin)
    self.newKeys = newKeys
    self.secrets = secrets
    self.secretService = secretService
  }

  public func generate(
    _ name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool
  ) async throws -> StoredKey {
    try await store(name, confirmation, replacing) { try SigningKey.generate() }
  }

  /// Stores a key that comes from elsewhere.
  ///
  /// - Throws: as `generate`.
  public func `import`(
    _ key: SigningKey, as name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool
  ) async throws -> StoredKey {
    try await store(name, confirmation, replacing) { key }
  }

  public func keys() async throws -> [StoredKey] { try folder.keys() }

  public func damagedKeys() async throws -> [KeyName] { try folder.damagedNames() }

  public func key(_ name: KeyName) async throws -> StoredKey { try folder.key(name) }

  public func sign(digest: [UInt8], with name: KeyName) async throws -> P256Signature {
    // A key that is exchanged between the look and the reading is looked at again; one that never rests is told.
    var looks = 0
    while true {
      do {
        return try await openKey(name).sign(digest: digest)
      } catch KeyStoreError.changedMeanwhile {
        looks += 1
        guard looks < 8 else { throw KeyStoreError.changedMeanwhile(name) }
      }
    }
  }

  private func openKey(_ name: KeyName) async throws -> SigningKey {
    guard let identity = try folder.identity(of: name) else {
      throw KeyStoreError.notFound(name, store: designation)
    }
    return try await openKeys.key(OpenKeys.Place(name: name, identity: identity)) {
      let (file, opened) = try self.read(name)
      guard opened == identity else { throw KeyStoreError.changedMeanwhile(name) }
      return try await self.key(in: file, name)
    }
  }

  @discardableResult
  public func delete(_ name: KeyName) async throws -> Bool {
    let (isRemoved, file) = try await work[name.owner].run { [folder] in try folder.remove(name) }
    openKeys.forget(name)
    if let file { await forgetSecret(of: file) }
    return isRemoved
  }

  /// The private key itself, for an export.
  ///
  /// - Throws: `KeyStoreError` where there is none or it cannot be opened.
  public func privateKey(_ name: KeyName) async throws -> SigningKey { try await key(in: try read(name).file, name) }

  /// The envelope as it is stored, where its passphrase is a person's; else nil.
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

  // MARK: - Closing

  private func store(
    _ name: KeyName, _ confirmation: ConfirmationPolicy, _ replacing: Bool, _ make: () throws -> SigningKey
  ) async throws -> StoredKey {
    // Nobody is asked for a passphrase in vain; the folder decides it once more.
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
      await forgetSecret(of: file)
      throw error
    }
    openKeys.forget(name)
    if let old { await forgetSecret(of: old) }
    return stored
  }

  private func protect(_ file: inout KeyFile, _ key: SigningKey, _ name: KeyName) async throws {
    switch newKeys {
    case .unprotected: return
    case .passphrase: break
    case .secretServiceOrPassphrase:
      if let secret = try await secretInKeyring(file, name) {
        return try await close(&file, key, name, under: secret, .secretService)
      }
    case .secretServiceOrKeyFile:
      if let secret = try await secretInKeyring(file, name) {
        return try await close(&file, key, name, under: secret, .secretService)
      }
      let secret = try await work[name.owner].run { [wrappingSecretFile] in try wrappingSecretFile.readOrMake() }
      return try await close(&file, key, name, under: secret, .keyFile)
    }
    let passphrase = try await secrets.require(.newPassphrase(key: name.name))
    try await close(&file, key, name, under: passphrase, .passphrase)
  }

  private func close(
    _ file: inout KeyFile, _ key: SigningKey, _ name: KeyName, under secret: SecretBytes,
    _ protection: StoredKey.Protection
  ) async throws {
    let kind = protection == .passphrase ? EncryptedPrivateKey.SecretKind.passphrase : .random
    let envelope = try await work[name.owner].run { try EncryptedPrivateKey(key, under: secret, kind) }
    file.protection = protection
    file.label = KeyFile.encryptedLabel
    file.privateKey = SecretBytes(envelope.der)
  }

  /// A new secret that the Secret Service holds; nil where there is none that could be used: a keyring that is locked
  /// on a machine where nobody could be asked to unlock it is none.
  private func secretInKeyring(_ file: KeyFile, _ name: KeyName) async throws -> SecretBytes? {
    guard let service = try await secretService() else { return nil }
    let secret = try WrappingSecret.make()
    do {
      try await service.store(
        secret, label: "Tessera key \(name.label)", attributes: WrappingSecret.attributes(file))
      return secret
    } catch SecretServiceError.locked {
      return nil
    } catch SecretServiceError.serviceUnavailable {
      return nil
    }
  }

  /// A secret without its key is of no use to anybody, so failing to take it away is no failure.
  private func forgetSecret(of file: KeyFile) async {
    guard file.protection == .secretService else { return }
    _ = try? await secretService()?.delete(WrappingSecret.attributes(file))
  }

  // MARK: - Opening

  private func key(in file: KeyFile, _ name: KeyName) async throws -> SigningKey {
    let key: SigningKey
    do {
      key = try await openedKey(in: file, name)
    } catch let error as CryptographyError {
      guard error == .wrongSecret else { throw KeyStoreError.damaged(name, "its private key") }
      throw file.protection == .passphrase
        ? KeyStoreError.wrongPassphrase : KeyStoreError.damaged(name, "its wrapping secret does not open it")
    }
    // The facts beside the envelope are not protected by it.
    guard key.publicKey == file.publicKey else {
      throw KeyStoreError.damaged(name, "its public key is not that of its private key")
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
      guard let stored = try await service.lookup(WrappingSecret.attributes(file)) else {
        throw KeyStoreError.wrappingSecretMissing(name)
      }
      secret = stored
    case .token, .tpm, .tpmAndPIN: throw KeyStoreError.damaged(name, "Protection")
    }
    let envelope = file.envelope
    return try await work[name.owner].run { try envelope.key(under: secret) }
  }
}
