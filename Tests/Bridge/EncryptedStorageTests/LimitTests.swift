import Foundation
import TesseraCore
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraEncryptedStorage

@Suite("Storage quotas")
struct LimitTests {
  let place: StorageFolder

  init() throws { place = try StorageFolder() }

  private func name(_ index: Int, _ owner: Caller = one, _ collection: EntryCollection = .documents) throws
    -> EntryName
  { try EntryName("\(index)", in: collection, of: owner) }

  @Test("limits the entries of each owner in all collections together")
  func entries() async throws {
    let limits = StorageLimits(entriesPerOwner: 5)
    let store = place.store(limits: limits)
    for index in 0..<3 { try await store.set("v", for: name(index)) }
    for index in 0..<2 { try await store.set("v", for: name(index, one, .secureStorage)) }
    await #expect(throws: StorageError.full(limits)) { try await store.set("v", for: name(9)) }
    await #expect(throws: StorageError.full(limits)) { try await store.set("v", for: name(9, one, .secureStorage)) }
    #expect(try await store.value(of: name(9)) == nil)
    // Existing entries can change, other owners have their own quota, and a removal frees quota.
    try await store.set("other", for: name(0))
    try await store.set("v", for: name(9, two))
    try await store.remove(name(1))
    try await store.set("v", for: name(9))
    await #expect(throws: StorageError.full(limits)) { try await store.set("v", for: name(10)) }
    try await store.removeAll(in: .documents, of: one)
    for index in 0..<3 { try await store.set("v", for: name(index)) }
    await #expect(throws: StorageError.full(limits)) { try await store.set("v", for: name(9)) }
  }

  @Test("limits the bytes of each owner; an owner over a lowered limit can still replace entries by smaller ones")
  func bytes() async throws {
    let limits = StorageLimits(bytesPerOwner: 10_000)
    let store = place.store(limits: limits)
    try await store.set(SecretBytes(Array(repeating: 1, count: 4_000)), for: name(0))
    try await store.set(SecretBytes(Array(repeating: 1, count: 4_000)), for: name(1))
    let more = SecretBytes(Array(repeating: 1, count: 4_000))
    await #expect(throws: StorageError.full(limits)) { try await store.set(more, for: name(2)) }
    try await store.set(SecretBytes(Array(repeating: 1, count: 1_000)), for: name(2))
    let lower = place.store(limits: StorageLimits(bytesPerOwner: 5_000))
    try await lower.set(SecretBytes(Array(repeating: 2, count: 3_000)), for: name(0))
    await #expect(throws: StorageError.self) {
      try await lower.set(SecretBytes(Array(repeating: 2, count: 3_001)), for: name(0))
    }
    #expect(try await lower.bytes(name(0)) == Array(repeating: 2, count: 3_000))
  }

  @Test("the usage record matches the files; without a valid record the files are counted")
  func record() async throws {
    let limits = StorageLimits(entriesPerOwner: 4)
    let store = place.store(limits: limits)
    for index in 0..<3 { try await store.set("value", for: name(index)) }
    let path = try #require(try place.files().first { $0.hasSuffix("/usage") })
    let record = UsageRecord(path: place.path + "/" + path)
    let size = try place.entryFiles().reduce(0) { try $0 + Data(contentsOf: $1).count }
    let usage = try #require(record.read())
    #expect(usage == Usage(entries: 3, bytes: size))

    let clean = try String(contentsOfFile: record.path, encoding: .utf8)
    let boot = try #require(clean.split(separator: " ").dropFirst().first)
    let untrue = [
      "", "\n", "clean", "dirty \(boot) 3 \(size)\n", "clean other-boot 0 0\n", "clean \(boot) -1 0\n",
      "clean \(boot) 0 -9223372036854775808\n", "clean \(boot) 9223372036854775807 9223372036854775807\n",
      "clean \(boot) 99999999999999999999 1\n", "clean \(boot) 0\n", "clean \(boot) a b\n", "\u{0}\u{FFFF}",
    ]
    for text in untrue {
      try Data(text.utf8).write(to: URL(fileURLWithPath: record.path))
      #expect(record.read() == nil, "\(text.debugDescription)")
      // Counting removes the temporary file of a killed process.
      let left = try place.entryFile(0).deletingLastPathComponent().appendingPathComponent(
        ".new-6F9619FF-8B86-D011-B42D-00CF4FC964FF")
      try Data().write(to: left)
      try await store.set("value", for: name(0))
      #expect(record.read() == usage, "\(text.debugDescription)")
      #expect(!FileManager.default.fileExists(atPath: left.path))
    }
    try await store.set("value", for: name(3))
    try Data().write(to: URL(fileURLWithPath: record.path))
    await #expect(throws: StorageError.full(limits)) { try await store.set("v", for: name(4)) }
    #expect(record.read()?.entries == 4)
    #expect(try place.entryFiles().count == 4)
  }
}

extension StorageFolder {
  func entryFile(_ index: Int) throws -> URL { try entryFiles()[index] }
}
