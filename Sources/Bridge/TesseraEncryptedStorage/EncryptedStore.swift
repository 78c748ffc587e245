import TesseraCore
import TesseraCryptography
import TesseraDurableFiles
package import TesseraSecretService
import TesseraThreads

/// A key-value store in encrypted files of the user. Each entry belongs to one owner.
///
/// A completed write is on the disk and survives a crash of the machine; a crash during a write leaves the old or the
/// new value. Any number of tasks and processes can use one folder.
///
/// The folder reveals the number and the sizes of the entries, but not their names, values or owners. If the master key
/// is in the folder, too (`Protection.keyFile`), anyone who can read the folder can decrypt it.
///
/// A modified file, or one under another name, is detected (`StorageError.damaged`). Rollback is not detected: anyone
/// who can write to the folder can restore an older value of an entry, or delete it.
///
/// All methods throw `StorageError`, `FolderError`, and `SecretServiceError` if the master key is in the keyring.
public final class EncryptedStore: Sendable {
  /// The location of the master key.
  public enum Protection: String, Sendable, CaseIterable {
    /// The Secret Service, the keyring of the desktop.
    case secretService = "secret-service"
    /// A file of mode 0600 in the folder of the store, protected only by the file mode.
    case keyFile = "key-file"
  }

  /// `$XDG_DATA_HOME/tessera/storage`.
  public static var defaultPath: String { UserFolders.data + "/storage" }

  let folder: String
  let limits: StorageLimits
  private let masterKey: MasterKey
  private let openKeyCache = ExpiringCache<FileIdentity, StoreKeys>()
  /// Creates the store once for all tasks that write the first entry.
  private let creation = RequestCoalescer<String, Void>()
  /// Separate queues, since writing waits for the disk.
  private let reading = OwnerWorkQueues<Caller>(threads: 4, name: "storage reading")
  private let writing = OwnerWorkQueues<Caller>(threads: 4, name: "storage writing")
  private let synchronisation = FolderSynchronisation(name: "storage synchronisation")
  let overview = BlockingWork(name: "storage overview")

  /// - Parameters:
  ///   - path: the folder of the store; created with the first entry.
  ///   - limits: the quotas of each owner.
  public convenience init(path: String = EncryptedStore.defaultPath, limits: StorageLimits = StorageLimits()) {
    self.init(path: path, limits: limits, secretService: { try await SecretService.connect() })
  }

  /// - Parameter secretService: connects to the Secret Service; returns nil if it is unavailable.
  package init(
    path: String = EncryptedStore.defaultPath, limits: StorageLimits = StorageLimits(),
    secretService: @escaping @Sendable () async throws -> SecretService?
  ) {
    folder = path
    self.limits = limits
    masterKey = MasterKey(folder: path, secretService: secretService, work: BlockingWork(name: "storage key"))
  }

  /// The location of the master key; nil if the store does not exist yet.
  public func protection() async throws -> Protection? {
    try await masterKey.work.run { [masterKey] in
      guard try masterKey.identity() != nil else { return nil }
      return try masterKey.content()?.content.protection
    }
  }

  /// The value of an entry; nil if the entry does not exist.
  ///
  /// - Throws: `StorageError.damaged`, and leaves the file in place.
  package func value(of name: EntryName) async throws -> SecretBytes? {
    try await withKeys(reading[name.owner]) { [self] keys in
      let identifier = try keys.identifier(of: name)
      let file = try ownerFolder(name.owner, keys).file(name.collection, identifier)
      return try entry(file, identifier, keys)?.value
    } ?? nil
  }

  /// Stores a value, replacing an existing one.
  ///
  /// - Throws: `StorageError.tooLarge`, `StorageError.full`.
  package func set(_ value: SecretBytes, for name: EntryName) async throws {
    guard value.count <= limits.entry else { throw StorageError.tooLarge(limit: limits.entry) }
    func write() async throws -> PrivateFolder? {
      try await withKeys(writing[name.owner]) { [self] keys in
        let identifier = try keys.identifier(of: name)
        let folder = try ownerFolder(name.owner, keys)
        try folder.write(
          SealedEntry.seal(value, as: name, identifier, keys), to: folder.file(name.collection, identifier))
        return folder.folder(name.collection)
      }
    }
    while true {
      // The next entry is written meanwhile.
      if let written = try await write() { return try await synchronisation.synchronise(written) }
      try await creation.value(folder) { [masterKey] in try await masterKey.create() }
    }
  }

  /// Removes an entry.
  ///
  /// - Returns: false if the entry did not exist.
  @discardableResult
  package func remove(_ name: EntryName) async throws -> Bool {
    try await withKeys(writing[name.owner]) { [self] keys in
      let folder = try ownerFolder(name.owner, keys)
      return try folder.remove(folder.file(name.collection, keys.identifier(of: name)))
    } ?? false
  }

  /// Removes all entries of an owner in one collection, including unreadable ones.
  package func removeAll(in collection: EntryCollection, of owner: Caller) async throws {
    try await withKeys(writing[owner]) { [self] keys in try ownerFolder(owner, keys).removeAll(collection) }
  }

  /// The entries of an owner in one collection.
  package struct Listing: Sendable, Equatable {
    /// Unordered.
    package var names: [EntryName] = []
    /// The file names of unreadable entries.
    package var damaged: [String] = []
  }

  /// Lists the names of entries. Damaged values are detected only by `value(of:)`.
  package func entries(in collection: EntryCollection, of owner: Caller) async throws -> Listing {
    try await withKeys(reading[owner]) { [self] keys in
      let folder = try ownerFolder(owner, keys)
      var listing = Listing()
      for identifier in try folder.identifiers(collection) {
        try Task.checkCancellation()
        do {
          guard let name = try name(folder.file(collection, identifier), identifier, keys) else { continue }
          listing.names.append(name)
        } catch is StorageError {
          listing.damaged.append(identifier)
        }
      }
      return listing
    } ?? Listing()
  }

  // MARK: - Implementation

  private func ownerFolder(_ owner: Caller, _ keys: StoreKeys) throws -> OwnerFolder {
    OwnerFolder(path: "\(folder)/\(try keys.identifier(of: owner))", limits: limits)
  }

  /// Decrypts an entry; nil if the file does not exist.
  func entry(
    _ file: DurableFile, _ identifier: String, _ keys: StoreKeys
  ) throws -> (name: EntryName, value: SecretBytes)? {
    do {
      guard let content = try file.read(upTo: max(limits.entry, StorageLimits().entry) + SealedEntry.overhead)?.content
      else { return nil }
      return try SealedEntry.open(content, identifier, keys)
    } catch FolderError.foreignFile {
      throw StorageError.damaged(file: identifier, "it cannot be read as a file")
    }
  }

  /// Decrypts the name of an entry; nil if the file does not exist.
  func name(_ file: DurableFile, _ identifier: String, _ keys: StoreKeys) throws -> EntryName? {
    do {
      for count in [SealedEntry.usualBeginning, SealedEntry.longestBeginning] {
        guard let (beginning, identity) = try file.readBeginning(count) else { return nil }
        if let name = try SealedEntry.name(beginning, ofBytes: identity.size, identifier, keys) { return name }
      }
    } catch FolderError.foreignFile {}
    throw StorageError.damaged(file: identifier, "it cannot be read as a file")
  }

  private enum Outcome<Result: Sendable>: Sendable {
    case done(Result)
    case keysNeeded(FileIdentity)
    case noStore
  }

  /// Runs `body`, which blocks, with the keys of the store.
  ///
  /// - Returns: nil if the store does not exist yet.
  func withKeys<Result: Sendable>(
    _ work: some WorkQueue, _ body: @Sendable (StoreKeys) throws -> Result
  ) async throws -> Result? {
    var opened: [FileIdentity: StoreKeys] = [:]
    while true {
      let outcome = try await work.run { [masterKey, openKeyCache, opened] () -> Outcome<Result> in
        // Checked every time, since a store that was deleted and created again has other keys.
        guard let identity = try masterKey.identity() else { return .noStore }
        guard let keys = opened[identity] ?? openKeyCache.cached(identity) else {
          return .keysNeeded(identity)
        }
        return .done(try body(keys))
      }
      switch outcome {
      case .done(let result): return result
      case .noStore: return nil
      case .keysNeeded(let identity):
        opened[identity] = try await openKeyCache.value(identity) { [masterKey] in
          try await masterKey.keys(identity)
        }
      }
    }
  }
}

/// The names in `secureStorage` whose entries are read only after the user was authenticated. The store keeps the
/// guards; its users enforce them.
///
/// A guard belongs to a name of an owner, with or without an entry. Names are compared as bytes, like those of entries,
/// so that no other spelling reads a guarded entry. An earlier version of the store has no guards, and ignores them.
extension EncryptedStore {
  /// Whether the entry of this name requires the user.
  ///
  /// - Throws: `StorageError.damaged`: an unreadable guard never counts as none.
  package func isGuarded(_ name: EntryName) async throws -> Bool {
    try await value(of: try Self.guardName(name)) != nil
  }

  /// Requires the user for the entry of this name from now on. The guard counts as an entry of its owner.
  ///
  /// - Throws: `StorageError.full`.
  package func addGuard(to name: EntryName) async throws {
    try await set(SecretBytes([]), for: try Self.guardName(name))
  }

  /// Removes the guard of one name, on behalf of the user.
  ///
  /// - Returns: false if the name had none.
  @discardableResult
  package func removeGuard(from name: EntryName) async throws -> Bool {
    try await remove(try Self.guardName(name))
  }

  /// The guarded names of an owner.
  package func guardedNames(of owner: Caller) async throws -> Listing {
    try await entries(in: .guards, of: owner)
  }

  private static func guardName(_ name: EntryName) throws -> EntryName {
    try EntryName(name.bytes, in: .guards, of: name.owner)
  }
}
