import Cryptography
import EncryptedStorage
import Foundation

/// A program that writes entries at random, for tests that kill it.
///
/// `EntryWriter PATH PREFIX COUNT`: four tasks, each with an owner and a collection of its own, make COUNT changes
/// together of names that begin with PREFIX. Each change is told by one line before it (`begin LANE NAME DIGEST`, with `-`
/// for a removal and `*` for all names) and one when it was acknowledged (`done LANE`).
@main
struct EntryWriter {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[3]) else { exit(2) }
    let store = EncryptedStore(path: arguments[1], secretService: { nil })
    try await withThrowingTaskGroup { group in
      for lane in EntryLane.all {
        group.addTask { try await write(count / EntryLane.all.count, lane, arguments[2], store) }
      }
      try await group.waitForAll()
    }
    tell("end")
  }

  private static func write(_ count: Int, _ lane: EntryLane, _ prefix: String, _ store: EncryptedStore) async throws {
    for _ in 0..<count {
      let name = "\(prefix)\(Int.random(in: 0..<12))"
      switch Int.random(in: 0..<100) {
      case 0:
        tell("begin \(lane.number) * -")
        try await store.removeAll(in: lane.collection, of: lane.owner)
      case 1..<20:
        tell("begin \(lane.number) \(name) -")
        try await store.remove(EntryName(name, in: lane.collection, of: lane.owner))
      case let kind:
        // Most are small; some need many pages.
        let value = SecretBytes(try RandomBytes.make(Int.random(in: 0..<(kind < 25 ? 300_000 : 2_000))))
        tell("begin \(lane.number) \(name) \(try EntryLane.digest(value))")
        try await store.set(value, for: EntryName(name, in: lane.collection, of: lane.owner))
      }
      tell("done \(lane.number)")
    }
  }

  /// In one piece, so that lines of different tasks do not mix.
  private static func tell(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    guard Glibc.write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { exit(3) }
  }
}
