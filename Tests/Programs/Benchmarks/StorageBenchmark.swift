import Foundation
import Tessera
import TesseraThreads

/// Rates of the encrypted store compared with plain files in the same run: the minimum for a durable file (write,
/// fsync, rename, fsync of the folder), and reading a file.
enum StorageBenchmark {
  static func run(_ folder: String) async throws -> [Measurement] {
    var rows: [Measurement] = []
    for (label, count) in [("64 bytes", 64), ("64 KiB", 65_536)] {
      let store = EncryptedStore(path: "\(folder)/storage-\(count)", secretService: { nil })
      let bytes = [UInt8](repeating: 7, count: count)
      let value = SecretBytes(bytes)
      let names = try (0..<50).map { try EntryName("k\($0)", in: .secureStorage, of: .local) }
      let bare = "\(folder)/bare-\(count)"
      try FileManager.default.createDirectory(atPath: bare, withIntermediateDirectories: true)
      // Alternately, because the disk's speed drifts.
      var best = (set: 0.0, write: 0.0, get: 0.0, read: 0.0)
      for _ in 0..<5 {
        best.set = max(best.set, try await rate(300) { try await store.set(value, for: names[$0 % 50]) })
        best.write = max(best.write, try await rate(300) { try write(bytes, "\(bare)/\($0 % 50)", in: bare) })
        best.get = max(best.get, try await rate(5_000) { _ = try await store.value(of: names[$0 % 50]) })
        best.read = max(best.read, try await rate(5_000) { _ = try read("\(bare)/\($0 % 50)", count) })
      }
      // Many pages and programs write at a time.
      var many = (set: 0.0, write: 0.0)
      for _ in 0..<5 {
        many.set = max(many.set, try await rate(960, writers: 32) { try await store.set(value, for: names[$0 % 50]) })
        many.write = max(many.write, try threadRate(960, writers: 32) { try write(bytes, "\(bare)/\($0)", in: bare) })
      }
      rows += [
        Measurement("set, \(label), 32 writers", many.set, .perSecond, floor: many.write, of: "bare durable write"),
        Measurement("set, \(label)", best.set, .perSecond, floor: best.write, of: "bare durable write"),
        Measurement("get, \(label)", best.get, .perSecond, floor: best.read, of: "bare read"),
      ]
    }
    return rows
  }

  private static func write(_ bytes: [UInt8], _ path: String, in folder: String) throws {
    let temporary = path + ".new"
    let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0, Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, close(file) == 0,
      rename(temporary, path) == 0
    else { throw CocoaError(.fileWriteUnknown) }
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0, fsync(directory) == 0, close(directory) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  private static func read(_ path: String, _ count: Int) throws -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    var bytes = [UInt8](repeating: 0, count: count)
    guard file >= 0, Glibc.read(file, &bytes, count) == count, close(file) == 0 else {
      throw CocoaError(.fileReadUnknown)
    }
    return bytes
  }

  private static func rate(_ count: Int, _ body: (Int) async throws -> Void) async throws -> Double {
    let start = ContinuousClock.now
    for index in 0..<count { try await body(index) }
    return Double(count) / (start.duration(to: .now) / .seconds(1))
  }

  /// The same by tasks that run at a time.
  private static func rate(
    _ count: Int, writers: Int, _ body: @escaping @Sendable (Int) async throws -> Void
  ) async throws -> Double {
    try await rate(1) { _ in
      try await withThrowingTaskGroup { group in
        for writer in 0..<writers {
          group.addTask { for index in stride(from: writer, to: count, by: writers) { try await body(index) } }
        }
        try await group.waitForAll()
      }
    } * Double(count)
  }

  /// The same by threads, since each call blocks.
  private static func threadRate(
    _ count: Int, writers: Int, _ body: @escaping @Sendable (Int) throws -> Void
  ) throws -> Double {
    let (start, ended, failure) = (ContinuousClock.now, DispatchGroup(), Locked<(any Error)?>(nil))
    for writer in 0..<writers {
      ended.enter()
      Thread.detachNewThread {
        do {
          for index in stride(from: writer, to: count, by: writers) { try body(index) }
        } catch {
          failure.withLock { $0 = error }
        }
        ended.leave()
      }
    }
    ended.wait()
    if let error = failure.withLock({ $0 }) { throw error }
    return Double(count) / (start.duration(to: .now) / .seconds(1))
  }
}
