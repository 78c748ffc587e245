import Foundation
import TesseraCore
import TesseraCryptography
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraEncryptedStorage

@Suite("Listings")
struct ListingTests {
  let place: StorageFolder
  let store: EncryptedStore

  init() throws {
    place = try StorageFolder()
    store = place.store()
  }

  @Test("lists names of every length")
  func lengths() async throws {
    let lengths = [0, 1, 300, 420, 421, 500, 511, 512, 513, 1_000, EntryName.longest]
    let owners: [Caller] = [.local, one, .web(origin: String(repeating: "o", count: EntryName.longest))]
    for owner in owners {
      let names = try lengths.map { try EntryName(Array(repeating: 7, count: $0), in: .documents, of: owner) }
      for (index, name) in names.enumerated() {
        try await store.set(SecretBytes(Array(repeating: 1, count: index * 100)), for: name)
      }
      let listing = try await store.entries(in: .documents, of: owner)
      #expect(Set(listing.names) == Set(names))
      #expect(listing.damaged.isEmpty)
    }
  }

  @Test("reads only the names of large documents")
  func beginningsOnly() async throws {
    let value = SecretBytes(Array(repeating: 1, count: 1 << 20))
    for index in 0..<5 { try await store.set(value, for: EntryName("\(index)", in: .documents, of: one)) }
    // The missing rest of the file does not matter.
    for file in try place.entryFiles() {
      let handle = try FileHandle(forWritingTo: file)
      try handle.seek(toOffset: 600)
      try handle.write(contentsOf: Data(repeating: 0, count: 1 << 19))
      try handle.close()
    }
    let listing = try await store.entries(in: .documents, of: one)
    #expect(Set(listing.names.compactMap(\.text)) == ["0", "1", "2", "3", "4"])
    // Reading the document still reports the damage.
    await #expect(throws: StorageError.self) {
      try await store.value(of: EntryName("0", in: .documents, of: one))
    }
  }

  @Test("reports a name with any changed byte as damaged")
  func changed() async throws {
    let name = try EntryName("name", in: .documents, of: one)
    try await store.set("a value", for: name)
    let file = try place.entryFile()
    let whole = try Data(contentsOf: file)
    for index in 0..<28 + name.encoded.count {
      var content = whole
      content[index] ^= 0x20
      try content.write(to: file)
      let listing = try await store.entries(in: .documents, of: one)
      #expect(listing.names.isEmpty && listing.damaged == [file.lastPathComponent], "byte \(index)")
    }
    for length in 0..<28 + name.encoded.count + 16 {
      try whole.prefix(length).write(to: file)
      #expect(try await store.entries(in: .documents, of: one).names.isEmpty, "\(length) bytes")
    }
  }

  @Test("delays the work of an owner by at most one operation of another owner")
  func turns() async throws {
    let queues = OwnerWorkQueues<Caller>(threads: 1, name: "test")
    let order = Locked<[Caller]>([])
    let mayGo = DispatchSemaphore(value: 0)
    await withTaskGroup { group in
      // Each one is in its queue when the next one comes.
      for _ in 0..<50 {
        group.addImmediateTask {
          try? await queues[one].run {
            if order.withLock({ $0.isEmpty }) { mayGo.wait() }
            order.withLock { $0.append(one) }
          }
        }
      }
      group.addImmediateTask { try? await queues[two].run { order.withLock { $0.append(two) } } }
      mayGo.signal()
    }
    let all = order.withLock { $0 }
    #expect(all.count == 51)
    #expect(all.firstIndex(of: two) == 1)
  }
}
