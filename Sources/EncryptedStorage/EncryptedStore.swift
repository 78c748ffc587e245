public import Cryptography
import DurableFiles
public import SecretService
import Threads

/// Entries in encrypted files of the user's, each a value under a name of an owner's.
///
/// What is answered as written is on the disk, also after a crash of the machine; a crash in the middle leaves the old
/// value or the new one. Any number of tasks and processes may use one folder.
///
/// The folder tells nobody the names, the values or the owners, only how many there are and how long they are. Where the
/// master key is in the folder, too (`Protection.keyFile`), whoever can read the folder can read all of it.
///
/// A file that is changed, or put in another's place, is noticed (`StorageError.damaged`); one that is put back is not. Whoever
/// can write to the folder can give an entry an older value that it had under the same name, or take it away, as they can
/// with the whole folder: what tells the newest from the older is nowhere else.
///
/// All methods throw `StorageError`, `FolderError` where the folder cannot be used, and, where the key is in the keyring,
/// `SecretServiceError`.
public final class EncryptedStore: Sendable {
  /// Where the master key is.
  public enum Protection: String, Sendable, CaseIterable {
    /// In the Secret Service, the desktop's keyring.
    case secretService = "secret-service"
    /// In a file of mode 0600 in the store's folder: no more than the file's mode.
    case keyFile = "key-file"
  }

  /// `storage` in the folder of the user's own data.
  public static var defaultPath: String { UserFolders.data + "/storage" }

  let folder: String
  let limits: StorageLimits
  private let masterKey: MasterKey
  private let openKeys = KeptWhileUsed<FileIdentity, StoreKeys>()
  /// A store is made once, however many tasks want to write the first entry.
  private let making = SharedWork<String, Void>()
  /// Reading never waits for writing, which waits for the disk.
  private let reading = OwnerQueues<EntryOwner>(threads: 4, name: "storage reading")
  private let writing = OwnerQueues<EntryOwner>(threads: 4, name: "storage writing")
  let overview = BlockingWork(name: "storage overview")

  /// - Parameter secretService: connects to the Secret Service; nil where there is none.
  public init(
    path: String = EncryptedStore.defaultPath, limits: StorageLimits = StorageLimits(),
    secretService: @escaping @Sendable () async throws -> SecretService? = { try await SecretService.connect() }
  ) {
    folder = path
    self.limits = limits
    masterKey = MasterKey(folder: path, secretService: secretService, work: BlockingWork(name: "storage key"))
  }

  /// Where the master key is; nil where there is no store yet.
  public func protection() async throws -> Protection? {
    try await masterKey.work.run { [masterKey] in
      guard try masterKey.identity() != nil else { return nil }
      return try masterKey.content()?.content.protection
    }
  }

  /// nil where there is no such entry.
  ///
  /// - Throws: also `StorageError.damaged`, and leaves the file as it is.
  public func value(of name: EntryName) async throws -> SecretBytes? {
    try await withKeys(reading[name.owner]) { [self] keys in
      let identifier = try keys.identifier(of: name)
      let file = try ownerFolder(name.owner, keys).file(name.collection, identifier)
      return try entry(file, identifier, keys)?.value
    } ?? nil
  }

  /// Stores a value, in the place of the one that may be there.
  ///
  /// - Throws: also `StorageError.tooLarge` and `StorageError.full`.
  public func set(_ value: SecretBytes, for name: EntryName) async throws {
    guard value.count <= limits.entry else { throw StorageError.tooLarge(limit: limits.entry) }
    func write() async throws -> Void? {
      try await withKeys(writing[name.owner]) { [self] keys in
        let identifier = try keys.identifier(of: name)
        let folder = try ownerFolder(name.owner, keys)
        try folder.write(
          SealedEntry.seal(value, as: name, identifier, keys), to: folder.file(name.collection, identifier))
      }
    }
    while try await write() == nil {
      try await making.value(folder) { [masterKey] in try await masterKey.make() }
    }
  }

  /// - Returns: false where there was no such entry.
  @discardableResult
  public func remove(_ name: EntryName) async throws -> Bool {
    try await withKeys(writing[name.owner]) { [self] keys in
      let folder = try ownerFolder(name.owner, keys)
      return try folder.remove(folder.file(name.collection, keys.identifier(of: name)))
    } ?? false
  }

  /// Removes all entries of an owner in one collection, those that cannot be read, too.
  public func removeAll(in collection: EntryCollection, of owner: EntryOwner) async throws {
    try await withKeys(writing[owner]) { [self] keys in try ownerFolder(owner, keys).removeAll(collection) }
  }

  /// What an owner has in one collection.
  public struct Listing: Sendable, Equatable {
    /// In no order that means anything.
    public var names: [EntryName] = []
    /// The files of entries whose names cannot be read, by the names of the files.
    public var damaged: [String] = []
  }

  /// Values are not looked at: whether one was damaged is told where it is asked for.
  public func entries(in collection: EntryCollection, of owner: EntryOwner) async throws -> Listing {
    try await withKeys(reading[owner]) { [self] keys in
      let folder = try ownerFolder(owner, keys)
      var listing = Listing()
      for identifier in try folder.identifiers(collection) {
        // Who asked may have gone since.
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

  // MARK: - Inside

  private func ownerFolder(_ owner: EntryOwner, _ keys: StoreKeys) throws -> OwnerFolder {
    OwnerFolder(path: "\(folder)/\(try keys.identifier(of: owner))", limits: limits)
  }

  /// nil where there is no such file.
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

  /// Of an entry, without its value; nil where there is no such file.
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
    case closed(FileIdentity)
    case noStore
  }

  /// Runs `body`, which blocks, with the store's keys, which stay open while they are used.
  ///
  /// - Returns: nil where there is no store yet.
  func withKeys<Result: Sendable>(
    _ work: some WorkQueue, _ body: @Sendable (StoreKeys) throws -> Result
  ) async throws -> Result? {
    var opened: [FileIdentity: StoreKeys] = [:]
    while true {
      let outcome = try await work.run { [masterKey, openKeys, opened] () -> Outcome<Result> in
        // Looked at every time: a store that was deleted and made anew has other keys.
        guard let identity = try masterKey.identity() else { return .noStore }
        guard let keys = opened[identity] ?? openKeys.kept(identity) else { return .closed(identity) }
        return .done(try body(keys))
      }
      switch outcome {
      case .done(let result): return result
      case .noStore: return nil
      case .closed(let identity):
        opened[identity] = try await openKeys.value(identity) { [masterKey] in try await masterKey.keys(identity) }
      }
    }
  }
}
