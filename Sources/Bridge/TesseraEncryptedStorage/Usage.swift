import FoundationEssentials
import Glibc
import TesseraCore
import TesseraDurableFiles

/// The storage usage of one owner.
struct Usage: Equatable, Sendable {
  var entries = 0
  /// The total size of the files.
  var bytes = 0

  /// The usage after a file of `old` bytes (nil: none) was replaced by one of `new` bytes (nil: none).
  func changed(from old: Int?, to new: Int?) -> Usage {
    Usage(
      entries: entries + (new == nil ? 0 : 1) - (old == nil ? 0 : 1), bytes: bytes + (new ?? 0) - (old ?? 0))
  }

  func fits(_ limits: StorageLimits) -> Bool {
    entries <= limits.entriesPerOwner && bytes <= limits.bytesPerOwner
  }

  /// Whether neither number exceeds that of the other usage.
  func isWithin(_ other: Usage) -> Bool { entries <= other.entries && bytes <= other.bytes }
}

/// The file `usage` in the folder of an owner, which caches the usage. Without a valid record, the files are counted.
///
/// The record is `clean` with the numbers, and `dirty` during a change, so a killed process leaves it dirty. It is not
/// synchronised to the disk, so after a crash of the machine it can be outdated. Therefore it contains the boot
/// identifier, and is valid only until the next boot.
///
/// All calls require the lock of the folder.
struct UsageRecord {
  let path: String

  private static let clean = "clean"
  private static let dirty = "dirty"
  private static let length = 128

  /// The boot identifier of the running kernel; nil if it is unavailable.
  private static let boot: String? = {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text?.trimmed
  }()

  /// The recorded usage; nil if there is no valid record.
  func read() -> Usage? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.length)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return Self.usage(String(decoding: bytes.prefix(count), as: UTF8.self))
  }

  static func usage(_ text: String) -> Usage? {
    let words = text.split(separator: "\n", omittingEmptySubsequences: false).first?.split(separator: " ") ?? []
    // Rejects implausible numbers, which could overflow.
    guard words.count == 4, words[0] == clean, let boot, words[1] == boot, let entries = Int(words[2]),
      let bytes = Int(words[3]), 0...1 << 40 ~= entries, 0...1 << 50 ~= bytes
    else { return nil }
    return Usage(entries: entries, bytes: bytes)
  }

  /// Runs a change of the files, and records the usage afterwards.
  func change<Result>(to usage: Usage, _ body: () throws -> Result) throws -> Result {
    try write(Self.dirty)
    let result = try body()
    try? write(usage)
    return result
  }

  func write(_ usage: Usage) throws {
    guard let boot = Self.boot else { return }
    try write("\(Self.clean) \(boot) \(usage.entries) \(usage.bytes)\n")
  }

  /// Overwrites the file in place, so that no allocation delays the synchronisation of the entries.
  private func write(_ text: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw FolderError.system(folder: path, code: errno) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw FolderError.system(folder: path, code: errno)
    }
  }
}
