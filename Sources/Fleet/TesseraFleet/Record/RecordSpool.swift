internal import TesseraCryptography
package import TesseraEncryptedStorage
internal import TesseraJSON

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

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The name of a record in the spool: its time in milliseconds since 1970, 15 digits, and the id of its message. A
/// record that the stream refused has `refused` in front.
struct SpoolName: Sendable, Hashable {
  let text: String

  private static let digits = 15
  private static let latest = 999_999_999_999_999.0
  private static let refusedPrefix = "refused "

  init(time: Date, messageID: String) {
    let milliseconds = Int64(min(max(0, time.timeIntervalSince1970 * 1000), Self.latest))
    let number = String(milliseconds)
    text = "\(String(repeating: "0", count: Self.digits - number.count))\(number) \(messageID)"
  }

  private init(unchecked text: String) { self.text = text }

  /// nil for a name of another form.
  init?(_ text: String) {
    self.text = text
    guard milliseconds != nil else { return nil }
  }

  var isRefused: Bool { text.hasPrefix(Self.refusedPrefix) }

  var refused: SpoolName { SpoolName(unchecked: Self.refusedPrefix + text) }

  /// By the clock of the machine that wrote it.
  var time: Date { Date(timeIntervalSince1970: Double(milliseconds ?? 0) / 1000) }

  private var milliseconds: Int64? {
    let words = text.split(separator: " ")
    guard words.count == (isRefused ? 3 : 2), let number = words.dropLast().last, number.utf8.count == Self.digits
    else {
      return nil
    }
    return Int64(number)
  }
}

/// The form of a record in the spool: the line `Tessera-Record: 1`, a line of JSON (`desk`, `read`, `bytes` of the
/// record, and `dump`, the identifier of the dump), the record, and the dump.
enum SpooledRecord {
  enum Problem: Error, Equatable {
    /// A later version of Tessera wrote it.
    case laterVersion
    case malformed
  }

  private static let mark = "Tessera-Record: "
  private static let version = "1"
  private static let longestLine = 1024

  static func encode(_ record: ReadRecord) -> [UInt8] {
    var header: JSONObject = [
      "desk": .string(record.desk.text), "read": .string(record.readID.text),
      "bytes": .integer(Int64(record.payload.count)),
    ]
    if let dump = record.dump { header["dump"] = .string(dump.identifier.text) }
    let lines = "\(mark)\(version)\n\(JSONValue.object(header).text)\n"
    return Array(lines.utf8) + record.payload + (record.dump?.content ?? [])
  }

  static func decode(_ bytes: [UInt8]) throws(Problem) -> ReadRecord {
    var rest = bytes[...]
    guard let first = line(&rest), first.hasPrefix(mark) else { throw .malformed }
    guard first.dropFirst(mark.count) == version else { throw .laterVersion }
    guard let text = line(&rest), let header = try? JSONValue(text: text),
      let desk = header["desk"]?.stringValue.flatMap({ DeskName($0) }),
      let read = header["read"]?.stringValue.flatMap({ FleetReadID($0) }),
      case .integer(let length)? = header["bytes"], (0...Int64(rest.count)).contains(length)
    else { throw .malformed }
    let payload = Array(rest.prefix(Int(length)))
    let content = Array(rest.dropFirst(Int(length)))
    let identifier = header["dump"]?.stringValue.flatMap { FleetIdentifier($0) }
    guard (identifier == nil) == content.isEmpty else { throw .malformed }
    return ReadRecord(
      desk: desk, readID: read, payload: payload,
      dump: identifier.map { RecordDump(identifier: $0, content: content) })
  }

  private static func line(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let end = rest.prefix(longestLine).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { rest = rest[(end + 1)...] }
    return String(validating: rest[..<end], as: UTF8.self)
  }
}
