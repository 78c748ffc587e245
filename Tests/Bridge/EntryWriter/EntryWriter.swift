import Foundation
import TesseraCryptography
import TesseraEncryptedStorage

/// Writes random entries, for tests that kill this process.
///
/// `EntryWriter PATH PREFIX COUNT`: four tasks, each with its own owner and collection, make COUNT changes in total to
/// names with the prefix PREFIX. The program prints `begin TASK NAME DIGEST` before each change (`-` as digest for a
/// removal, `*` as name for all names) and `done TASK` after its acknowledgement.
@main
struct EntryWriter {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[3]) else { exit(2) }
    let store = EncryptedStore(path: arguments[1], secretService: { nil })
    try await withThrowingTaskGroup { group in
      for task in WriterTask.all {
        group.addTask { try await write(count / WriterTask.all.count, task, arguments[2], store) }
      }
      try await group.waitForAll()
    }
    report("end")
  }

  private static func write(_ count: Int, _ task: WriterTask, _ prefix: String, _ store: EncryptedStore) async throws {
    for _ in 0..<count {
      let name = "\(prefix)\(Int.random(in: 0..<12))"
      switch Int.random(in: 0..<100) {
      case 0:
        report("begin \(task.number) * -")
        try await store.removeAll(in: task.collection, of: task.owner)
      case 1..<20:
        report("begin \(task.number) \(name) -")
        try await store.remove(EntryName(name, in: task.collection, of: task.owner))
      case let kind:
        // Most values are small; some need many pages.
        let value = SecretBytes(try RandomBytes.make(Int.random(in: 0..<(kind < 25 ? 300_000 : 2_000))))
        report("begin \(task.number) \(name) \(try WriterTask.digest(value))")
        try await store.set(value, for: EntryName(name, in: task.collection, of: task.owner))
      }
      report("done \(task.number)")
    }
  }

  /// Writes the line in one call, so that lines of different tasks do not mix.
  private static func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    guard Glibc.write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { exit(3) }
  }
}
