import Glibc
import TesseraDurableFiles

/// The folder of one owner: `COLLECTION/ENTRY`, with the names that `StoreKeys` derives. A lock serialises the changes
/// of several processes; reading needs no lock. All calls block.
struct OwnerFolder: Sendable {
  let path: String
  let limits: StorageLimits

  private var lock: FolderLock { FolderLock(folder: path, timeout: limits.lockTimeout) }
  private var record: UsageRecord { UsageRecord(path: path + "/usage") }

  func folder(_ collection: EntryCollection) -> PrivateFolder {
    PrivateFolder(path: "\(path)/\(collection.rawValue)")
  }

  func file(_ collection: EntryCollection, _ identifier: String) -> DurableFile {
    DurableFile(path: "\(folder(collection).path)/\(identifier)")
  }

  /// The file names of all entries.
  func identifiers(_ collection: EntryCollection) throws -> [String] {
    try folder(collection).names().filter(StoreKeys.isIdentifier)
  }

  /// Writes a file. It is on the disk when its folder has been synchronised.
  ///
  /// - Throws: `StorageError.full`, `FolderError`.
  func write(_ content: [UInt8], to file: DurableFile) throws {
    try lock.withLock {
      let usage = try usage()
      let after = usage.changed(from: try file.identity()?.size, to: content.count)
      // An owner over the limits, which may have been lowered, can still replace entries by smaller ones.
      guard after.fits(limits) || after.isWithin(usage) else { throw StorageError.full(limits) }
      try record.change(to: after) { try file.staged(content).replace() }
    }
  }

  /// - Returns: false if the file did not exist.
  func remove(_ file: DurableFile) throws -> Bool {
    guard try file.identity() != nil else { return false }
    return try lock.withLock {
      guard let size = try file.identity()?.size else { return false }
      return try record.change(to: try usage().changed(from: size, to: nil)) { try file.remove() }
    }
  }

  func removeAll(_ collection: EntryCollection) throws {
    guard try !identifiers(collection).isEmpty else { return }
    try lock.withLock {
      let folder = folder(collection)
      var after = try usage()
      for identifier in try identifiers(collection) {
        after = after.changed(from: try file(collection, identifier).identity()?.size, to: nil)
      }
      try record.change(to: after) {
        for identifier in try identifiers(collection) {
          guard unlink("\(folder.path)/\(identifier)") == 0 || errno == ENOENT else {
            throw FolderError.system(folder: folder.path, code: errno)
          }
        }
        try folder.synchronise()
      }
    }
  }

  /// The recorded usage. Without a valid record, counts the files and removes temporary files of killed processes.
  private func usage() throws -> Usage {
    if let usage = record.read() { return usage }
    var usage = Usage()
    for collection in EntryCollection.allCases {
      folder(collection).removeLeftovers()
      for identifier in try identifiers(collection) {
        guard let size = try file(collection, identifier).identity()?.size else { continue }
        usage = usage.changed(from: nil, to: size)
      }
    }
    try record.write(usage)
    return usage
  }
}

/// The quotas of an encrypted store.
public struct StorageLimits: Sendable, Equatable {
  /// The maximum size of a value, in bytes.
  public var entry: Int
  /// The maximum number of entries of one owner, in all collections.
  public var entriesPerOwner: Int
  /// The maximum total size of the files of one owner, in bytes.
  public var bytesPerOwner: Int
  /// The maximum wait for a process that changes entries of the same owner.
  public var lockTimeout: Duration

  public init(
    entry: Int = 16 << 20, entriesPerOwner: Int = 10_000, bytesPerOwner: Int = 256 << 20,
    lockTimeout: Duration = .seconds(10)
  ) {
    self.entry = entry
    self.entriesPerOwner = entriesPerOwner
    self.bytesPerOwner = bytesPerOwner
    self.lockTimeout = lockTimeout
  }
}
