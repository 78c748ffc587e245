import DurableFiles
import Foundation

/// The file `usage` in an owner's folder, which saves counting the files before every write. It is not needed: where it
/// does not tell, they are counted.
///
/// It tells `clean` with the numbers, and `dirty` while the files change; a process that is killed meanwhile leaves it
/// dirty. It is never brought to the disk by force, so after a crash of the machine it may be older than the files. Then
/// the boot is another one than the one in it, and it does not count.
///
/// Only under the lock of the folder.
struct UsageRecord {
  let path: String

  private static let clean = "clean"
  private static let dirty = "dirty"
  private static let length = 128

  /// Of the machine's running kernel; nil where it does not tell.
  private static let boot: String? = {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines)
  }()

  /// nil where the files have to be counted.
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
    // Numbers that no disk holds are none of ours, and could not be calculated with.
    guard words.count == 4, words[0] == clean, let boot, words[1] == boot, let entries = Int(words[2]),
      let bytes = Int(words[3]), 0...1 << 40 ~= entries, 0...1 << 50 ~= bytes
    else { return nil }
    return Usage(entries: entries, bytes: bytes)
  }

  /// Runs a change of the files, and then tells what they come to.
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

  /// Writes over what is there, so that nothing has to be allocated while the files are brought to the disk.
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
