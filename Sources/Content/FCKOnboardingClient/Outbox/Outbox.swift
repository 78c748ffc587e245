internal import FoundationEssentials
internal import Logging
import TesseraCore
import TesseraDurableFiles
import TesseraJSON

/// Completions and events that wait for the server, each in a file of mode 0600 of its own. The names of the files are
/// their order. No two entries have the same name, not even after one was removed, since it has the entry's id. Several
/// processes may add entries at the same time. Its calls block.
struct Outbox: Sendable {
  static let maximumCount = 500
  /// The bytes of all entries together.
  static let maximumTotal = 8 << 20
  /// The bytes of the longest entry. Each byte of the answers can take six in JSON.
  static let maximumSize = 6 * OnboardingRecord.maximumText + (64 << 10)

  let folder: String

  /// The name of an entry's file, for example `0000000000000012-event-0f8fad5b-d9cb-469f-a165-70867728950e.json`.
  struct Name: Sendable, Hashable {
    private static let digits = 16
    /// The greatest number of 16 digits.
    fileprivate static let maximum: UInt64 = 9_999_999_999_999_999
    fileprivate static let suffix = ".json"

    let number: UInt64
    let kind: FCKAPIClient.Report
    let id: String

    init(number: UInt64, kind: FCKAPIClient.Report, id: String) {
      self.number = number
      self.kind = kind
      self.id = id
    }

    /// - Returns: nil for a file that is no entry.
    init?(_ text: String) {
      guard text.hasSuffix(Self.suffix) else { return nil }
      let parts = text.dropLast(Self.suffix.count).split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0].utf8.count == Self.digits, let number = UInt64(parts[0]),
        let kind = FCKAPIClient.Report(rawValue: String(parts[1])), let id = OutboxEntry.id(String(parts[2]))
      else { return nil }
      self.init(number: number, kind: kind, id: id)
      // `UInt64` accepts a sign, and an id can have capital letters.
      guard self.text == text else { return nil }
    }

    var text: String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, Self.digits - digits.utf8.count))
        + "\(digits)-\(kind.rawValue)-\(id)\(Self.suffix)"
    }
  }

  /// The entries in their order; none if the folder is another user's.
  ///
  /// - Throws: `FolderError`
  func names() throws -> [Name] {
    let folder = PrivateFolder(path: folder)
    let names = try folder.names().compactMap { Name($0) }
    // Where another user can create files, an entry could be that user's.
    guard !names.isEmpty, try folder.isOwn() else { return [] }
    // Entries that two processes added at the same time can have the same number.
    return names.sorted { ($0.number, $0.kind.rawValue, $0.id) < ($1.number, $1.kind.rawValue, $1.id) }
  }

  /// Whether an entry has this id.
  ///
  /// - Throws: `FolderError`
  func contains(_ id: String) throws -> Bool { try names().contains { try $0.id == id && entry($0) != nil } }

  /// Adds an entry at the end. If there are too many, the oldest events make room, then the oldest completions.
  ///
  /// - Returns: the number of entries that were dropped.
  /// - Throws: `FolderError`, or `Failure` if the entry is too large or has no number.
  func append(_ entry: OutboxEntry) throws -> Int {
    let content = entry.file
    guard content.count <= Self.maximumSize else {
      throw Failure(.usage, "A report to the onboarding server has more than \(Self.maximumSize) bytes.")
    }
    PrivateFolder(path: folder).removeLeftovers()
    let dropped = try makeRoom(for: content.count)
    let number = (try names().last?.number ?? 0) + 1
    guard number <= Name.maximum else {
      throw Failure(
        .storageFailed, "The folder of reports to the onboarding server has a file with the last possible number.",
        remedy: "Remove the folder \(folder).")
    }
    _ = try file(Name(number: number, kind: entry.kind, id: entry.id)).write(content, replacing: true)
    return dropped
  }

  /// The entry; nil if it is damaged or gone, or if its name has the id of another one.
  ///
  /// - Throws: `FolderError`
  func entry(_ name: Name) throws -> OutboxEntry? {
    do {
      let entry = try file(name).bytes(upTo: Self.maximumSize).flatMap { OutboxEntry(file: $0) }
      return entry?.id == name.id ? entry : nil
    } catch {
      // What is too large, or no file at all, must not stop the others.
      if case .foreignFile? = error as? FolderError { return nil }
      throw error
    }
  }

  /// - Throws: `FolderError`
  func remove(_ name: Name) throws { _ = try file(name).remove() }

  /// - Throws: `FolderError`
  func clear() throws {
    for name in try names() { try remove(name) }
  }

  private func makeRoom(for size: Int) throws -> Int {
    let entries = try names().map { name in (name, size: try file(name).identity()?.size ?? 0) }
    var count = entries.count
    var total = entries.reduce(0) { $0 &+ $1.size }
    guard count >= Self.maximumCount || total > Self.maximumTotal - size else { return 0 }
    let order = entries.filter { $0.0.kind == .event } + entries.filter { $0.0.kind != .event }
    var dropped = 0
    for (name, entrySize) in order where count >= Self.maximumCount || total > Self.maximumTotal - size {
      try remove(name)
      count -= 1
      total -= entrySize
      dropped += 1
    }
    return dropped
  }

  private func file(_ name: Name) -> DurableFile { DurableFile(path: "\(folder)/\(name.text)") }
}

extension Outbox {
  /// Adds an entry at the end, unless it is there, and logs what is lost. An entry that is too large is dropped.
  /// Blocks.
  ///
  /// - Returns: false if it cannot be written now.
  func append(_ entry: OutboxEntry, logger: Logger) -> Bool {
    do {
      guard try !contains(entry.id) else { return true }
      let dropped = try append(entry)
      if dropped > 0 { logger.warning("\(dropped) old reports to the onboarding server made room for a new one.") }
      return true
    } catch let error as Failure where error.kind == .usage {
      logger.error("A report is dropped. \(OnboardingLog.cause(error))")
      return true
    } catch {
      logger.error("A report cannot be put into the outbox. \(OnboardingLog.cause(error))")
      return false
    }
  }
}

/// A completion or an event that the server has not received yet.
struct OutboxEntry: Sendable, Equatable {
  /// The version of the files.
  static let format = 1

  let kind: FCKAPIClient.Report
  /// The same for each attempt to send it.
  let id: String
  let time: Date
  let body: JSONObject

  init(_ kind: FCKAPIClient.Report, _ body: JSONObject, at time: Date, id: String = Self.newId()) {
    self.kind = kind
    self.body = body
    self.time = time
    self.id = id
  }

  /// A random UUID in lower case.
  static func newId() -> String { UUID().uuidString.lowercased() }

  /// - Returns: nil if the text is no UUID.
  static func id(_ text: String) -> String? { UUID(uuidString: text)?.uuidString.lowercased() }

  /// Reads an entry.
  ///
  /// - Parameter file: `{"format": 1, "kind": "event", "id": "…", "time": "2030-01-02T03:04:05Z", "body": {…}}`
  /// - Returns: nil if it is damaged.
  init?(file: [UInt8]) {
    guard let text = String(validating: file, as: UTF8.self), let entry = try? JSONValue(text: text) else {
      return nil
    }
    self.init(entry)
  }

  /// - Returns: nil if it is damaged.
  init?(_ entry: JSONValue) {
    guard entry["format"] == .integer(Int64(Self.format)),
      let kind = entry["kind"]?.stringValue.flatMap({ FCKAPIClient.Report(rawValue: $0) }),
      let id = entry["id"]?.stringValue.flatMap(Self.id),
      let time = entry["time"]?.stringValue.flatMap(Timestamp.date), case .object(let body)? = entry["body"]
    else { return nil }
    self.kind = kind
    self.id = id
    self.time = time
    self.body = body
  }

  var json: JSONValue {
    [
      "format": .integer(Int64(Self.format)), "kind": .string(kind.rawValue), "id": .string(id),
      "time": .string(Timestamp.text(time)), "body": .object(body),
    ]
  }

  var file: [UInt8] { Array(json.text.utf8) }
}

/// A report of a completion that is in the record, since it is written together with the flag of the placement. It moves
/// into the outbox of its environment.
struct PendingReport: Sendable, Equatable {
  let environment: FCKEnvironment
  let entry: OutboxEntry

  init(_ environment: FCKEnvironment, _ entry: OutboxEntry) {
    self.environment = environment
    self.entry = entry
  }

  /// Reads `{"environment": "sandbox", "report": {…}}`.
  ///
  /// - Returns: nil if it is damaged.
  init?(_ json: JSONValue) {
    guard let environment = json["environment"]?.stringValue.flatMap({ FCKEnvironment(rawValue: $0) }),
      let entry = json["report"].flatMap({ OutboxEntry($0) })
    else { return nil }
    self.init(environment, entry)
  }

  var json: JSONValue { ["environment": .string(environment.rawValue), "report": entry.json] }
}
