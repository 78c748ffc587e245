internal import TesseraCryptography
package import TesseraEncryptedStorage

/// Records that the stream has not acknowledged yet, in encrypted files. They survive the end of the process and of the
/// machine. Several processes can share the folder: whoever finds a record sends it, and the stream keeps one.
///
/// All methods throw `StorageError`, `FolderError`, and `SecretServiceError` if the key is in the keyring.
package struct RecordSpool: Sendable {
  private let store: EncryptedStore

  /// Four gigabytes are a million records without dumps, and less than a disk has.
  package static let limits = StorageLimits(
    entry: RecordDump.maximumSize + (2 << 20), entriesPerOwner: 1_000_000, bytesPerOwner: 4 << 30)

  /// - Parameter folder: created with the first record.
  package init(folder: String, limits: StorageLimits = RecordSpool.limits) {
    self.init(EncryptedStore(path: folder, limits: limits))
  }

  package init(_ store: EncryptedStore) { self.store = store }

  /// The records in the order of their times.
  package struct Listing: Sendable, Equatable {
    var waiting: [SpoolName] = []
    /// Records that the stream refused, since it has another one of the read.
    var refused = 0
    /// Files that cannot be read.
    var damaged = 0
  }

  // MARK: - Records

  /// Writes a record.
  ///
  /// - Throws: `StorageError.full` over the quota; `FolderError` with `ENOSPC` if the disk is full.
  func set(_ record: ReadRecord, for name: SpoolName) async throws {
    try await store.set(SecretBytes(SpooledRecord.encode(record)), for: Self.entry(name))
  }

  func remove(_ name: SpoolName) async throws { try await store.remove(Self.entry(name)) }

  /// Keeps a record that the stream refused, so that it is not sent again and not lost.
  func setAside(_ record: ReadRecord, _ name: SpoolName) async throws {
    guard !name.isRefused else { return }
    try await set(record, for: name.refused)
    try await remove(name)
  }

  /// nil if another process has sent it.
  ///
  /// - Throws: also `SpooledRecord.Problem`.
  func record(_ name: SpoolName) async throws -> ReadRecord? {
    guard let value = try await store.value(of: Self.entry(name)) else { return nil }
    return try SpooledRecord.decode(value.withUnsafeBytes { Array($0) })
  }

  func list() async throws -> Listing {
    let entries = try await store.entries(in: .documents, of: .local)
    var listing = Listing()
    listing.damaged = entries.damaged.count
    for name in entries.names {
      guard let name = name.text.flatMap({ SpoolName($0) }) else {
        listing.damaged += 1
        continue
      }
      if name.isRefused { listing.refused += 1 } else { listing.waiting.append(name) }
    }
    listing.waiting.sort { $0.text < $1.text }
    return listing
  }

  private static func entry(_ name: SpoolName) throws -> EntryName {
    try EntryName(name.text, in: .documents, of: .local)
  }
}
