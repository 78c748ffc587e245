import Cryptography
import EncryptedStorage
import Foundation
import TestSupport
import Testing

@testable import EntryWriter

@Suite("A process that is killed while it writes to the encrypted store", .serialized)
struct CrashTests {
  static let writes = 1000

  /// What each name of each lane holds, by its digest.
  typealias Contents = [[String: String]]
  static let nothing = Contents(repeating: [:], count: EntryLane.all.count)

  /// What is in the store, read by a process that has nothing open.
  private func contents(_ place: StorageFolder) async throws -> Contents {
    let store = place.store()
    var contents = Self.nothing
    for lane in EntryLane.all {
      let listing = try await store.entries(in: lane.collection, of: lane.owner)
      #expect(listing.damaged.isEmpty)
      for name in listing.names {
        let value = try #require(try await store.value(of: name))
        contents[lane.number][try #require(name.text)] = try EntryLane.digest(value)
      }
    }
    return contents
  }

  /// Whether `after` is what the acknowledged changes make of `before`, and of those that were under way each as if it had
  /// been done or not.
  private func check(_ after: Contents, _ before: Contents, _ log: WriterLog) {
    for lane in EntryLane.all {
      var possible: [String: Set<String?>] = before[lane.number].mapValues { [$0] }
      for change in log.changes where change.lane == lane.number {
        let value = change.digest == "-" ? nil : change.digest
        let names = change.name == "*" ? Array(possible.keys) : [change.name]
        for name in names {
          // An entry that is removed together with others may be gone or not, when all of it was not acknowledged.
          possible[name] = (change.isAcknowledged ? [] : possible[name] ?? [nil]).union([value])
        }
      }
      for (name, values) in possible {
        #expect(values.contains(after[lane.number][name]), "lane \(lane.number), \(name)")
      }
      #expect(Set(after[lane.number].keys).isSubset(of: possible.keys))
    }
  }

  @Test(
    "in the middle of 1,000 random writes, 50 times: nothing acknowledged is lost, no file is unreadable",
    arguments: [(kills: 50, inMemory: true), (kills: 4, inMemory: false)])
  func inTheMiddle(_ plan: (kills: Int, inMemory: Bool)) async throws {
    let place = try StorageFolder(inMemory: plan.inMemory)
    var before = Self.nothing
    var counts = (kills: 0, acknowledged: 0, underWay: 0)
    // Now and then the process is faster than the signal.
    for _ in 0..<plan.kills * 2 where counts.kills < plan.kills {
      let writer = try RunningProgram(WriterLog.program, [place.path, "n", "\(Self.writes)"])
      let last = Int.random(in: 1..<Self.writes * 9 / 10)
      while writer.isRunning, WriterLog(writer.output).acknowledged < last {
        try await Task.sleep(for: .milliseconds(1))
      }
      try await Task.sleep(for: .microseconds(Int.random(in: 0..<2_000)))
      writer.send(signal: SIGKILL)
      let log = WriterLog(await writer.finish(within: 120).output)
      let after = try await contents(place)
      check(after, before, log)
      before = after
      guard log.acknowledged > 0, !log.isComplete else { continue }
      counts.kills += 1
      counts.acknowledged += log.acknowledged
      counts.underWay += log.changes.count - log.acknowledged
    }
    print(
      "\(counts.kills) kills in the middle of \(Self.writes) writes: \(counts.acknowledged) acknowledged, "
        + "\(counts.underWay) under way")
    #expect(counts.kills == plan.kills)
    #expect(counts.underWay > 0)
    // What the killed left goes away with the next change of each owner.
    for lane in EntryLane.all {
      try await place.store().set("last", for: EntryName("last", in: lane.collection, of: lane.owner))
    }
    #expect(try place.files().filter { $0.contains(".new-") }.isEmpty)
  }

  @Test("while it makes the store: there is none yet, or one in which all that was acknowledged is")
  func atTheBeginning() async throws {
    var counts = (none: 0, some: 0)
    for turn in 0..<30 {
      let place = try StorageFolder()
      let writer = try RunningProgram(WriterLog.program, [place.path, "n", "40"])
      // Before it begins, while it makes the store, and just after that.
      switch turn % 3 {
      case 0: break
      case 1: while writer.isRunning, !writer.output.contains("begin") { await Task.yield() }
      default: while writer.isRunning, !writer.output.contains("done") { try await Task.sleep(for: .milliseconds(1)) }
      }
      try await Task.sleep(for: .microseconds(turn * 300))
      writer.send(signal: SIGKILL)
      let log = WriterLog(await writer.finish(within: 120).output)
      check(try await contents(place), Self.nothing, log)
      let isThere = try await place.store().protection() != nil
      if isThere { counts.some += 1 } else { counts.none += 1 }
      // And it can be used, or made, by the next one.
      let name = try EntryName("k", in: .documents, of: .local)
      try await place.store().set("v", for: name)
      #expect(try await place.store().text(name) == "v")
    }
    print("killed at the beginning: no store yet \(counts.none) times, one \(counts.some) times")
    #expect(counts.none > 0 && counts.some > 0)
  }
}
