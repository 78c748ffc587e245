import Foundation
import TesseraCore
import TesseraCryptography
import TesseraDurableFiles
import TesseraEncryptedStorage
import TestSupport
import Testing

@testable import EntryWriter

extension RealPrograms {
  @Suite("Concurrent access to the encrypted store")
  struct ConcurrencyTests {
    let place: StorageFolder

    init() throws { place = try StorageFolder() }

    @Test(
      "64 tasks with three stores write, read, remove and list: reads return only values written under the same name"
    )
    func tasks() async throws {
      let stores = (0..<3).map { _ in place.store() }
      let owners = [Caller.local, one, two]
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

    @Test("two processes write entries of the same owners, and each reads all of its own entries")
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
      // `removeAll` of one process also removes entries of the other, so only existing entries are compared.
      for task in WriterTask.all {
        let logs = writers.map { WriterLog($0.output) }
        let digests = logs.map { $0.digests(task.number) }
        let listing = try await place.store().entries(in: task.collection, of: task.owner)
        #expect(listing.damaged.isEmpty)
        for name in listing.names {
          let text = try #require(name.text)
          let value = try #require(try await place.store().value(of: name))
          let digest = try WriterTask.digest(value)
          #expect(digests[text.hasPrefix("a") ? 0 : 1][text]?.last == digest, "\(text)")
          stored += 1
        }
        kept += digests.reduce(0) { $0 + $1.count }
      }
      #expect(stored > 10 && kept >= stored)
    }

    @Test("while another process locks the folder of one owner, all owners can read and the other owners can write")
    func waiting() async throws {
      let store = place.store(limits: StorageLimits(lockTimeout: .seconds(120)))
      let mine = try EntryName("k", in: .documents, of: one)
      try await store.set("first", for: mine)
      let folder = try #require(try place.entryFiles().first?.deletingLastPathComponent().deletingLastPathComponent())
      let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY)
      #expect(flock(descriptor, LOCK_EX) == 0)
      let writing = Task { try await store.set("second", for: mine) }
      // Some of these owners share a thread with the waiting one, so not all of them finish.
      let others = (0..<12).map { Caller.web(origin: "https://\($0).example") }
      let through = ThroughCount()
      let tasks = others.map { owner in
        Task {
          try await store.set("v", for: EntryName("k", in: .documents, of: owner))
          await through.add()
        }
      }
      for _ in 0..<20 { #expect(try await store.text(mine) == "first") }
      try await eventually { await through.count >= 4 }
      #expect(await through.count >= 4)
      #expect(flock(descriptor, LOCK_UN) == 0)
      close(descriptor)
      try await writing.value
      for task in tasks { try await task.value }
      #expect(try await store.text(mine) == "second")
    }
  }
}

private actor ThroughCount {
  private(set) var count = 0
  func add() { count += 1 }
}
