public import Cryptography
import Foundation
import SecretService

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

  /// - Parameters:
  ///   - path: the folder of all key stores of a user.
  ///   - secrets: knows the passphrases.
  ///   - secretService: connects to the Secret Service; nil where there is none.
  public init(
    path: String = KeyStores.defaultPath, newKeys: NewKeys, secrets: any SecretAsking,
    secretService: @escaping @Sendable () async throws -> SecretService? = { try await SecretService.connect() }
  ) {
    folder = KeyFolder(path: path + "/file")
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
  public func `import`(
    _ key: SigningKey, as name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool
  ) async throws -> StoredKey {
    try await store(name, confirmation, replacing) { key }
  }

  public func keys() async throws -> [StoredKey] {
    // A key that another process deletes in between is not there any more; a damaged one does not hide the others.
    folder.names().compactMap { try? file($0)?.file.storedKey($0, store: designation) }
  }

  public func key(_ name: KeyName) async throws -> StoredKey {
    guard let (file, _) = try file(name) else { throw KeyStoreError.notFound(name, store: designation) }
    return file.storedKey(name, store: designation)
  }

  public func sign(digest: [UInt8], with name: KeyName) async throws -> P256Signature {
    guard let identity = folder.identity(of: name) else { throw KeyStoreError.notFound(name, store: designation) }
    let key = try await openKeys.key(name, identity) { try await self.open(name) }
    return try key.sign(digest: digest)
  }

  @discardableResult
  public func delete(_ name: KeyName) async throws -> Bool {
    let old = try? file(name)?.file
    let isDeleted = try folder.remove(name)
    openKeys.forget(name)
    if let old { await forgetSecret(of: old) }
    return isDeleted
  }

  /// The private key itself, for an export.
  ///
  /// - Throws: `KeyStoreError` where it cannot be opened.
  public func privateKey(_ name: KeyName) async throws -> SigningKey { try await open(name).0 }

  /// The envelope as it is stored, where its passphrase is a person's.
  public func encryptedKey(_ name: KeyName) async throws -> EncryptedPrivateKey? {
    guard let (file, _) = try file(name) else { throw KeyStoreError.notFound(name, store: designation) }
    return file.protection == .passphrase
      ? EncryptedPrivateKey(der: file.privateKey.withUnsafeBytes { Array($0) }) : nil
  }

  // MARK: - Closing

  private func store(
    _ name: KeyName, _ confirmation: ConfirmationPolicy, _ replacing: Bool, _ make: () throws -> SigningKey
  ) async throws -> StoredKey {
    let old = try? file(name)?.file
    // Nobody is asked for a passphrase in vain; the folder decides it once more.
    guard replacing || folder.identity(of: name) == nil else {
      throw KeyStoreError.exists(name, store: designation)
    }
    let (protection, secret) = try await protection(name)
    let key = try make()
    let file = KeyFile(
      protection: protection, confirmation: confirmation, publicKey: key.publicKey,
      label: secret == nil ? "PRIVATE KEY" : "ENCRYPTED PRIVATE KEY",
      privateKey: try secret.map {
        SecretBytes(try EncryptedPrivateKey(key, under: $0, protection == .passphrase ? .passphrase : .random).der)
      } ?? key.pkcs8)
    if protection == .secretService, let secret, let service = try await secretService() {
      try await service.store(
        secret, label: "Tessera key \(name.label)", attributes: WrappingSecret.attributes(file))
    }
    try folder.write(file.text, to: name, store: designation, replacing: replacing)
    if let old { await forgetSecret(of: old) }
    return file.storedKey(name, store: designation)
  }

  private func protection(_ name: KeyName) async throws -> (StoredKey.Protection, SecretBytes?) {
    switch newKeys {
    case .unprotected: return (.unprotected, nil)
    case .passphrase: return (.passphrase, try await secrets.require(.newPassphrase(key: name.name)))
    case .secretServiceOrPassphrase:
      if try await secretService() != nil { return (.secretService, try WrappingSecret.make()) }
      return (.passphrase, try await secrets.require(.newPassphrase(key: name.name)))
    case .secretServiceOrKeyFile:
      if try await secretService() != nil { return (.secretService, try WrappingSecret.make()) }
      return (.keyFile, try wrappingSecretFile.readOrMake())
    }
  }

  private var wrappingSecretFile: WrappingSecretFile { WrappingSecretFile(folder: folder.path) }

  /// A secret without its key is of no use to anybody, so failing to take it away is no failure.
  private func forgetSecret(of file: KeyFile) async {
    guard file.protection == .secretService else { return }
    _ = try? await secretService()?.delete(WrappingSecret.attributes(file))
  }

  // MARK: - Opening

  private func file(_ name: KeyName) throws -> (file: KeyFile, identity: KeyFolder.Identity)? {
    guard let (text, identity) = try folder.read(name) else { return nil }
    return (try KeyFile(text, name), identity)
  }

  private func open(_ name: KeyName) async throws -> (SigningKey, KeyFolder.Identity) {
    guard let (file, identity) = try file(name) else { throw KeyStoreError.notFound(name, store: designation) }
    let key = try await key(in: file, name)
    // The facts beside the envelope are not protected by it.
    guard key.publicKey == file.publicKey else {
      throw KeyStoreError.damaged(name, "its public key is not that of its private key")
    }
    return (key, identity)
  }

  private func key(in file: KeyFile, _ name: KeyName) async throws -> SigningKey {
    do {
      return try await openedKey(in: file, name)
    } catch let error as CryptographyError {
      guard error == .wrongSecret else { throw KeyStoreError.damaged(name, "its private key") }
      throw file.protection == .passphrase
        ? KeyStoreError.wrongPassphrase : KeyStoreError.damaged(name, "its wrapping secret does not open it")
    }
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
      guard let stored = try await secretService()?.lookup(WrappingSecret.attributes(file)) else {
        throw KeyStoreError.wrappingSecretMissing(name)
      }
      secret = stored
    case .token, .tpm, .tpmAndPIN: throw KeyStoreError.damaged(name, "Protection")
    }
    return try EncryptedPrivateKey(der: file.privateKey.withUnsafeBytes { Array($0) }).key(under: secret)
  }
}

extension KeyFile {
  func storedKey(_ name: KeyName, store: String) -> StoredKey {
    StoredKey(
      name: name, store: store, protection: protection, confirmation: confirmation, created: created,
      publicKey: publicKey)
  }
}
