import Cryptography
import DurableFiles
import SecretService
import Threads

/// The key from which all keys of a store are derived: in the Secret Service where there is one that can be used when the
/// store is made, else in the file itself that tells of it.
struct MasterKey: Sendable {
  let folder: String
  let secretService: @Sendable () async throws -> SecretService?
  /// Where files are read and written.
  let work: BlockingWork

  var path: String { folder + "/master-key" }
  private var file: DurableFile { DurableFile(path: path) }

  /// nil where there is no store yet. Blocks.
  ///
  /// - Throws: `StorageError.masterKeyMissing` where there are entries all the same.
  func identity() throws -> FileIdentity? {
    if let identity = try file.identity() { return identity }
    guard try hasEntries() else { return nil }
    // Another process may have made the store since the first look.
    if let identity = try file.identity() { return identity }
    throw StorageError.masterKeyMissing(path: path)
  }

  /// Blocks.
  func content() throws -> (content: MasterKeyFile, identity: FileIdentity)? {
    do {
      guard let (text, identity) = try file.read(upTo: MasterKeyFile.largest) else { return nil }
      return (try MasterKeyFile(text, path: path), identity)
    } catch FolderError.foreignFile {
      throw StorageError.masterKeyDamaged(path: path, "it cannot be read as a file")
    }
  }

  /// The keys of the store whose file this is.
  ///
  /// - Throws: `StorageError`, and `SecretServiceError` where the keyring cannot be asked.
  func keys(_ identity: FileIdentity) async throws -> StoreKeys {
    let content = try await work.run {
      guard try PrivateFolder(path: folder).isOwn() else { throw StorageError.openToOthers(path: folder) }
      guard let (content, found) = try self.content(), found == identity else { throw StorageError.changedMeanwhile }
      return content
    }
    switch content.protection {
    case .keyFile:
      guard let key = content.key, let keys = try Self.keys(content, key) else {
        throw StorageError.masterKeyDamaged(path: path, "its key is not the one that it was made with")
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

  /// Makes the store: its master key, then the file that tells of it. Where another process is faster, its store holds.
  func make() async throws {
    // Before a key is put anywhere.
    guard try await work.run({ try identity() }) == nil else { return }
    let store = StoreKeys.hexadecimal(try RandomBytes.make(16))
    let key = try RandomBytes.makeSecretText(32)
    let check = try StoreKeys(master: key, store: store).check
    let isInKeyring = try await keep(key, store)
    let content = MasterKeyFile(
      store: store, protection: isInKeyring ? .secretService : .keyFile, check: check, key: isInKeyring ? nil : key)
    let isOurs: Bool
    do {
      isOurs = try await work.run { try file.write(content.text, replacing: false) }
    } catch {
      await forget(content)
      throw error
    }
    if !isOurs { await forget(content) }
  }

  /// - Returns: whether the Secret Service holds it now. A keyring that is locked where nobody could be asked to unlock
  ///   it is none.
  private func keep(_ key: SecretBytes, _ store: String) async throws -> Bool {
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

  /// A key without its store is of no use to anybody, so failing to take it away is no failure.
  private func forget(_ content: MasterKeyFile) async {
    guard content.protection == .secretService else { return }
    _ = try? await secretService()?.delete(Self.attributes(content.store))
  }

  private func hasEntries() throws -> Bool {
    try PrivateFolder(path: folder).names().contains(where: StoreKeys.isIdentifier)
  }

  /// nil where the key is another store's.
  private static func keys(_ content: MasterKeyFile, _ key: SecretBytes) throws -> StoreKeys? {
    guard key.count > 0 else { return nil }
    let keys = try StoreKeys(master: key, store: content.store)
    return keys.check == content.check ? keys : nil
  }

  private static func attributes(_ store: String) -> [String: String] {
    ["xdg:schema": "org.tessera.Storage", "store": store]
  }
}
