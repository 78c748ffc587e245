import Foundation
import TesseraCryptography
import TesseraEncryptedStorage
import TestSupport
import Testing

@testable import EntryWriter

extension RealPrograms {
  @Suite("Killing a process that writes to the encrypted store", .serialized)
  struct CrashTests {
    /// The digest of each value, by name, for each task.
    typealias Contents = [[String: String]]
    static let nothing = Contents(repeating: [:], count: WriterTask.all.count)

    /// The content of the store, read through a new instance.
    private func contents(_ place: StorageFolder) async throws -> Contents {
      let store = place.store()
      var contents = Self.nothing
      for task in WriterTask.all {
        let listing = try await store.entries(in: task.collection, of: task.owner)
        #expect(listing.damaged.isEmpty)
        for name in listing.names {
          let value = try #require(try await store.value(of: name))
          contents[task.number][try #require(name.text)] = try WriterTask.digest(value)
        }
      }
      return contents
    }

    /// Checks that `after` is the result of all acknowledged changes to `before`, and of any subset of the pending ones.
    private func check(_ after: Contents, _ before: Contents, _ log: WriterLog) {
      for task in WriterTask.all {
        var possible: [String: Set<String?>] = before[task.number].mapValues { [$0] }
        for change in log.changes where change.task == task.number {
          let value = change.digest == "-" ? nil : change.digest
          let names = change.name == "*" ? Array(possible.keys) : [change.name]
          for name in names {
            // A removal of all entries that was not acknowledged may have removed any of them.
            possible[name] = (change.isAcknowledged ? [] : possible[name] ?? [nil]).union([value])
          }
        }
        for (name, values) in possible {
          #expect(values.contains(after[task.number][name]), "task \(task.number), \(name)")
        }
        #expect(Set(after[task.number].keys).isSubset(of: possible.keys))
      }
    }

    @Test(
      "after 50 kills during random writes, no acknowledged change is lost and no file is unreadable",
      arguments: [(kills: 50, inMemory: true), (kills: 4, inMemory: false)])
    func inTheMiddle(_ plan: (kills: Int, inMemory: Bool)) async throws {
      let place = try StorageFolder(inMemory: plan.inMemory)
      var before = Self.nothing
      var counts = (acknowledged: 0, underWay: 0)
      for _ in 0..<plan.kills {
        // It writes until it is killed.
        let writer = try RunningProgram(WriterLog.program, [place.path, "n", "\(Int.max)"])
        let last = Int.random(in: 1..<900)
        _ = await writer.wait { !$0.isRunning || WriterLog($0.output).acknowledged >= last }
        try await Task.sleep(for: .microseconds(Int.random(in: 0..<2_000)))
        writer.send(signal: SIGKILL)
        let log = WriterLog(await writer.finish(within: 120).output)
        let after = try await contents(place)
        check(after, before, log)
        before = after
        #expect(log.acknowledged >= last && !log.isComplete)
        counts.acknowledged += log.acknowledged
        counts.underWay += log.changes.count - log.acknowledged
      }
      print("\(plan.kills) kills: \(counts.acknowledged) writes acknowledged, \(counts.underWay) under way")
      #expect(counts.underWay > 0)
      // The next change of each owner removes the temporary files of the killed processes.
      for task in WriterTask.all {
        try await place.store().set("last", for: EntryName("last", in: task.collection, of: task.owner))
      }
      #expect(try place.files().filter { $0.contains(".new-") }.isEmpty)
    }

    @Test("after a kill during the creation, the store does not exist or contains all acknowledged changes")
    func atTheBeginning() async throws {
      var counts = (none: 0, some: 0)
      for turn in 0..<30 {
        let place = try StorageFolder()
        let writer = try RunningProgram(WriterLog.program, [place.path, "n", "40"])
        // Before, during and just after the creation of the store.
        switch turn % 3 {
        case 0: break
        case 1: _ = await writer.wait { !$0.isRunning || $0.output.contains("begin") }
        default: _ = await writer.wait { !$0.isRunning || $0.output.contains("done") }
        }
        try await Task.sleep(for: .microseconds(turn * 300))
        writer.send(signal: SIGKILL)
        let log = WriterLog(await writer.finish(within: 120).output)
        check(try await contents(place), Self.nothing, log)
        let isThere = try await place.store().protection() != nil
        if isThere { counts.some += 1 } else { counts.none += 1 }
        // The next process can use or create the store.
        let name = try EntryName("k", in: .documents, of: .local)
        try await place.store().set("v", for: name)
        #expect(try await place.store().text(name) == "v")
      }
      print("killed at the beginning: no store yet \(counts.none) times, one \(counts.some) times")
      #expect(counts.none > 0 && counts.some > 0)
    }
  }
}
