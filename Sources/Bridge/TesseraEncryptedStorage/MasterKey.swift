import TesseraCryptography
import TesseraDurableFiles
internal import TesseraSecretService
import TesseraThreads

/// The key from which all keys of a store are derived. It is in the Secret Service, or in the file `master-key` if the
/// Secret Service was unavailable when the store was created.
struct MasterKey: Sendable {
  let folder: String
  let secretService: @Sendable () async throws -> SecretService?
  /// The thread for file access.
  let work: BlockingWork

  var path: String { folder + "/master-key" }
  private var file: DurableFile { DurableFile(path: path) }

  /// The identity of the file; nil if the store does not exist yet. Blocks.
  ///
  /// - Throws: `StorageError.masterKeyMissing` if there are entries without a master key.
  func identity() throws -> FileIdentity? {
    if let identity = try file.identity() { return identity }
    guard try hasEntries() else { return nil }
    // Another process may have created the store since the first check.
    if let identity = try file.identity() { return identity }
    throw StorageError.masterKeyMissing(path: path)
  }

  /// The parsed file; nil if the store does not exist yet. Blocks.
  func content() throws -> (content: MasterKeyFile, identity: FileIdentity)? {
    do {
      guard let (text, identity) = try file.read(upTo: MasterKeyFile.largest) else { return nil }
      return (try MasterKeyFile(text, path: path), identity)
    } catch FolderError.foreignFile {
      throw StorageError.masterKeyDamaged(path: path, "it cannot be read as a file")
    }
  }

  /// Derives the keys of the store.
  ///
  /// - Parameter identity: the expected identity of the file.
  /// - Throws: `StorageError`, `SecretServiceError`.
  func keys(_ identity: FileIdentity) async throws -> StoreKeys {
    let content = try await work.run {
      guard try PrivateFolder(path: folder).isOwn() else { throw StorageError.openToOthers(path: folder) }
      guard let (content, found) = try self.content(), found == identity else { throw StorageError.changedConcurrently }
      return content
    }
    switch content.protection {
    case .keyFile:
      guard let key = content.key, let keys = try Self.keys(content, key) else {
        throw StorageError.masterKeyDamaged(path: path, "its key does not match its check value")
      }
      return keys
    case .secretService:
      guard let service = try await secretService() else { throw StorageError.noKeyring }
      guard let key = try await service.lookup(Self.attributes(content.store)),
        let keys = try Self.keys(content, key)
      else { throw StorageError.keyringLost(path: folder) }
      return keys
    }
  }

  /// Creates the store: first the master key, then its file. If another process creates the store at the same time,
  /// that store is used.
  func create() async throws {
    guard try await work.run({ try identity() }) == nil else { return }
    let store = try RandomBytes.make(16).hexadecimal.lowercased()
    let key = try RandomBytes.makeSecretText(32)
    let check = try StoreKeys(master: key, store: store).check
    let isInKeyring = try await storeInKeyring(key, store)
    let content = MasterKeyFile(
      store: store, protection: isInKeyring ? .secretService : .keyFile, check: check, key: isInKeyring ? nil : key)
    let isCreated: Bool
    do {
      isCreated = try await work.run { try file.write(content.text, replacing: false) }
    } catch {
      await deleteFromKeyring(content)
      throw error
    }
    if !isCreated { await deleteFromKeyring(content) }
  }

  /// Stores the key in the Secret Service.
  ///
  /// - Returns: false if the Secret Service is unavailable, or the keyring is locked and no prompt is possible.
  private func storeInKeyring(_ key: SecretBytes, _ store: String) async throws -> Bool {
    guard let service = try await secretService() else { return false }
    do {
      try await service.store(key, label: "Tessera encrypted storage", attributes: Self.attributes(store))
      return true
    } catch SecretServiceError.locked {
      return false
    } catch SecretServiceError.serviceUnavailable {
      return false
    }
  }

  /// Deletes the key from the Secret Service. Errors are ignored, since a key without its store is useless.
  private func deleteFromKeyring(_ content: MasterKeyFile) async {
    guard content.protection == .secretService else { return }
    _ = try? await secretService()?.delete(Self.attributes(content.store))
  }

  private func hasEntries() throws -> Bool {
    try PrivateFolder(path: folder).names().contains(where: StoreKeys.isIdentifier)
  }

  /// The keys of the store; nil if the master key belongs to another store.
  private static func keys(_ content: MasterKeyFile, _ key: SecretBytes) throws -> StoreKeys? {
    guard key.count > 0 else { return nil }
    let keys = try StoreKeys(master: key, store: content.store)
    return keys.check == content.check ? keys : nil
  }

  private static func attributes(_ store: String) -> [String: String] {
    ["xdg:schema": "org.tessera.Storage", "store": store]
  }
}
