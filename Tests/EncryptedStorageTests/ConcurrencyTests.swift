import Cryptography
import DurableFiles
import EncryptedStorage
import Foundation
import TestSupport
import Testing

@testable import EntryWriter

@Suite("The encrypted store under many hands")
struct ConcurrencyTests {
  let place: StorageFolder

  init() throws { place = try StorageFolder() }

  @Test("64 tasks of three stores write, read, remove and list: every value that is read was written under its name")
  func tasks() async throws {
    let stores = (0..<3).map { _ in place.store() }
    let owners = [EntryOwner.local, one, two]
    let names = try owners.flatMap { owner in
      try (0..<4).map { try EntryName("name \($0)", in: .secureStorage, of: owner) }
    }
    let read = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<64 {
        group.addTask {
          var read = 0
          for turn in 0..<12 {
            let store = stores[(task + turn) % stores.count]
            let index = (task * 7 + turn * 5) % names.count
            switch (task + turn) % 8 {
            case 0: try await store.remove(names[index])
            case 1: #expect(try await store.entries(in: .secureStorage, of: names[index].owner).damaged.isEmpty)
            case 2, 3, 4:
              try await store.set("\(index) " + String(repeating: "x", count: turn * 500), for: names[index])
            default:
              if let text = try await store.text(names[index]) {
                #expect(text.hasPrefix("\(index) "))
                read += 1
              }
            }
          }
          return read
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(read > 50)
    for (index, name) in names.enumerated() { try await stores[index % 3].set("last \(index)", for: name) }
    for (index, name) in names.enumerated() { #expect(try await place.store().text(name) == "last \(index)") }
    #expect(try place.entryFiles().count == names.count)
    #expect(try place.files().filter { $0.contains(".new-") }.isEmpty)
  }

  @Test("two processes write the same owners' entries, and each finds all of its own")
  func processes() async throws {
    let writers = try ["a", "b"].map { try RunningProgram(WriterLog.program, [place.path, $0, "600"]) }
    var kept = 0
    var stored = 0
    for writer in writers {
      let run = await writer.finish(within: 120)
      #expect(run.status == 0, "\(run.errors)")
      let log = WriterLog(run.output)
      #expect(log.isComplete && log.acknowledged == 600)
    }
    // `removeAll` of one takes the other's away, too, so that only entries that are there tell something.
    for lane in EntryLane.all {
      let logs = writers.map { WriterLog($0.output) }
      let digests = logs.map { $0.digests(lane.number) }
      let listing = try await place.store().entries(in: lane.collection, of: lane.owner)
      #expect(listing.damaged.isEmpty)
      for name in listing.names {
        let text = try #require(name.text)
        let value = try #require(try await place.store().value(of: name))
        let digest = try EntryLane.digest(value)
        #expect(digests[text.hasPrefix("a") ? 0 : 1][text]?.last == digest, "\(text)")
        stored += 1
      }
      kept += digests.reduce(0) { $0 + $1.count }
    }
    #expect(stored > 10 && kept >= stored)
  }

  @Test("while one owner's folder is held by another process, all may read, and others may write")
  func waiting() async throws {
    let store = place.store(limits: StorageLimits(patience: .seconds(120)))
    let mine = try EntryName("k", in: .documents, of: one)
    try await store.set("first", for: mine)
    let folder = try #require(try place.entryFiles().first?.deletingLastPathComponent().deletingLastPathComponent())
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY)
    #expect(flock(descriptor, LOCK_EX) == 0)
    let writing = Task { try await store.set("second", for: mine) }
    // One of these shares its thread with the one that waits, so not all of them have to come through.
    let others = (0..<12).map { EntryOwner.web(origin: "https://\($0).example") }
    let through = ThroughCount()
    let tasks = others.map { owner in
      Task {
        try await store.set("v", for: EntryName("k", in: .documents, of: owner))
        await through.add()
      }
    }
    for _ in 0..<20 { #expect(try await store.text(mine) == "first") }
    for _ in 0..<3_000 where await through.count < 4 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(await through.count >= 4)
    #expect(flock(descriptor, LOCK_UN) == 0)
    close(descriptor)
    try await writing.value
    for task in tasks { try await task.value }
    #expect(try await store.text(mine) == "second")
  }
}

private actor ThroughCount {
  private(set) var count = 0
  func add() { count += 1 }
}
