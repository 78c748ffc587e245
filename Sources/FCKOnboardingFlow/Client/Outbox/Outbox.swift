import TesseraCore
import TesseraDurableFiles

/// Completions and events that wait for the server, each in a file of mode 0600 of its own. The names of the files are
/// their order. Several processes may add entries at the same time. Its calls block.
struct Outbox: Sendable {
  static let maximumCount = 500
  /// The bytes of all entries together.
  static let maximumTotal = 8 << 20
  /// The bytes of the longest entry. Each byte of the answers can take six in JSON.
  static let maximumSize = 6 * OnboardingRecord.maximumText + (64 << 10)

  let folder: String

  /// The name of an entry's file, for example `0000000000000012-event.json`.
  struct Name: Sendable, Hashable {
    private static let digits = 16
    /// The greatest number of 16 digits.
    fileprivate static let maximum: UInt64 = 9_999_999_999_999_999
    fileprivate static let suffix = ".json"

    let number: UInt64
    let kind: FCKAPIClient.Report

    init(number: UInt64, kind: FCKAPIClient.Report) {
      self.number = number
      self.kind = kind
    }

    /// - Returns: nil for a file that is no entry.
    init?(_ text: String) {
      guard text.hasSuffix(Self.suffix) else { return nil }
      let parts = text.dropLast(Self.suffix.count).split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].utf8.count == Self.digits, let number = UInt64(parts[0]),
        let kind = FCKAPIClient.Report(rawValue: String(parts[1]))
      else { return nil }
      self.init(number: number, kind: kind)
      // `UInt64` accepts a sign.
      guard self.text == text else { return nil }
    }

    var text: String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, Self.digits - digits.utf8.count))
        + "\(digits)-\(kind.rawValue)\(Self.suffix)"
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
    return names.sorted { ($0.number, $0.kind.rawValue) < ($1.number, $1.kind.rawValue) }
  }

  /// Whether an entry has this id.
  ///
  /// - Throws: `FolderError`
  func contains(_ id: String) throws -> Bool { try names().contains { try entry($0)?.id == id } }

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
    var number = (try names().last?.number ?? 0) + 1
    while number <= Name.maximum {
      if try file(Name(number: number, kind: entry.kind)).write(content, replacing: false) { return dropped }
      // Another process has taken the number.
      number += 1
    }
    throw Failure(
      .storageFailed, "The folder of reports to the onboarding server has a file with the last possible number.",
      remedy: "Remove the folder \(folder).")
  }

  /// The entry; nil if it is damaged or gone.
  ///
  /// - Throws: `FolderError`
  func entry(_ name: Name) throws -> OutboxEntry? {
    do { return try file(name).bytes(upTo: Self.maximumSize).flatMap { OutboxEntry(file: $0) } } catch {
      // What is too large, or no file at all, must not stop the others.
      if case .foreignFile? = error as? FolderError { return nil }
      throw error
    }
  }

  /// - Parameter id: that of the entry which is removed; nil for a damaged one. Another entry can have its name after
  ///   `clear`.
  /// - Throws: `FolderError`
  func remove(_ name: Name, id: String?) throws {
    guard try entry(name)?.id == id else { return }
    try remove(name)
  }

  private func remove(_ name: Name) throws { _ = try file(name).remove() }

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
