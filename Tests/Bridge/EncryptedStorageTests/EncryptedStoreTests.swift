import Foundation
import TesseraCore
import TesseraCryptography
import TesseraDurableFiles
import TesseraEncryptedStorage
import TestSupport
import Testing

@Suite("The encrypted store")
struct EncryptedStoreTests {
  let place: StorageFolder
  let store: EncryptedStore

  init() throws {
    place = try StorageFolder()
    store = place.store()
  }

  static let names: [[UInt8]] = [
    [], [0], Array("a".utf8), Array("..".utf8), Array("../../etc/passwd".utf8), Array("a/b\\c\u{0}d\n".utf8),
    Array("__catalog__".utf8), Array("doc_é".utf8), Array("doc_e\u{301}".utf8), [0xFF, 0xFE, 0x80], Array(0...255),
    Array(repeating: 7, count: EntryName.longest),
  ]

  @Test("returns any bytes under any name, also through a new instance")
  func roundTrip() async throws {
    var values: [[UInt8]: [UInt8]] = [:]
    for (index, name) in Self.names.enumerated() {
      let value = try RandomBytes.make([0, 1, 15, 16, 17, 4095, 70_000][index % 7])
      values[name] = value
      try await store.set(SecretBytes(value), for: EntryName(name, in: .secureStorage, of: one))
    }
    let later = place.store()
    for (name, value) in values {
      #expect(try await later.bytes(EntryName(name, in: .secureStorage, of: one)) == value)
    }
    let listing = try await later.entries(in: .secureStorage, of: one)
    #expect(Set(listing.names.map(\.bytes)) == Set(Self.names))
    #expect(listing.names.allSatisfy { $0.owner == one && $0.collection == .secureStorage })
    #expect(listing.damaged.isEmpty)
    #expect(try place.entryFiles().count == Self.names.count)
  }

  @Test("summarises the entries of each owner; an owner with unreadable entries has no name")
  func overview() async throws {
    #expect(try await store.owners().isEmpty)
    for owner in [one, two, Caller.local] {
      try await store.set(SecretBytes([1]), for: EntryName("a", in: .secureStorage, of: owner))
    }
    try await store.set(SecretBytes([1, 2]), for: EntryName("b", in: .secureStorage, of: one))
    try await store.set(SecretBytes([1, 2, 3]), for: EntryName("a", in: .documents, of: one))
    let owners = try await store.owners()
    #expect(owners.map(\.owner) == [.local, one, two])
    #expect(owners.map(\.secrets) == [1, 2, 1])
    #expect(owners.map(\.documents) == [0, 1, 0])
    #expect(owners.allSatisfy { $0.bytes > 0 })
    for file in try place.entryFiles() { try Data("damaged".utf8).write(to: file) }
    #expect(try await store.owners().map(\.owner) == [nil, nil, nil])
  }

  @Test("stores a value of 16 MiB and rejects a longer one")
  func largest() async throws {
    let name = try EntryName("large", in: .documents, of: .local)
    let limit = StorageLimits().entry
    let value = [UInt8](repeating: 0x5A, count: limit)
    try await store.set(SecretBytes(value), for: name)
    #expect(try await store.bytes(name) == value)
    await #expect(throws: StorageError.tooLarge(limit: limit)) {
      try await store.set(SecretBytes(value + [0]), for: name)
    }
    #expect(try await store.bytes(name) == value)
  }

  @Test("replaces values, and reports whether a removed entry existed")
  func replacing() async throws {
    let name = try EntryName("k", in: .secureStorage, of: .local)
    #expect(try await store.value(of: name) == nil)
    #expect(try await !store.remove(name))
    try await store.set("first", for: name)
    try await store.set("second", for: name)
    #expect(try await store.text(name) == "second")
    #expect(try place.entryFiles().count == 1)
    #expect(try await store.remove(name))
    #expect(try await store.value(of: name) == nil)
    #expect(try await !store.remove(name))
    #expect(try place.entryFiles().isEmpty)
  }

  @Test("isolates owners and collections for all names")
  func separation() async throws {
    // Names and origins that would collide in a naive concatenation.
    let owners: [Caller] = [
      .local, one, two, .web(origin: ""), .web(origin: "local"), .web(origin: "https://one.example/"),
      .web(origin: "../" + "https://one.example"), .web(origin: "https://one.examplek"),
    ]
    let places = try EntryCollection.allCases.flatMap { collection in
      try owners.flatMap { owner in try ["k", "", "kk"].map { try EntryName($0, in: collection, of: owner) } }
    }
    for (index, name) in places.enumerated() { try await store.set("value \(index)", for: name) }
    for (index, name) in places.enumerated() { #expect(try await store.text(name) == "value \(index)") }
    #expect(try place.entryFiles().count == places.count)
    try await store.removeAll(in: .secureStorage, of: one)
    for (index, name) in places.enumerated() {
      let isGone = name.owner == one && name.collection == .secureStorage
      #expect(try await store.text(name) == (isGone ? nil : "value \(index)"))
    }
    let left = try await store.entries(in: .secureStorage, of: one)
    #expect(left.names.isEmpty && left.damaged.isEmpty)
    #expect(try await store.entries(in: .documents, of: one).names.count == 3)
  }

  @Test("creates the store with the first value, not when reading, listing or removing")
  func nothing() async throws {
    let name = try EntryName("k", in: .documents, of: one)
    #expect(try await store.value(of: name) == nil)
    #expect(try await store.entries(in: .documents, of: one).names.isEmpty)
    #expect(try await !store.remove(name))
    try await store.removeAll(in: .documents, of: one)
    #expect(try await store.protection() == nil)
    #expect(!FileManager.default.fileExists(atPath: place.path))
    try await store.set("v", for: name)
    #expect(try await store.protection() == .keyFile)
  }

  @Test("files are private to the user, and neither they nor their names contain names, values or origins in plain")
  func secrecy() async throws {
    let name = try EntryName("remarkable-name", in: .documents, of: .web(origin: "https://remarkable-origin.example"))
    try await store.set("remarkable-value", for: name)
    for file in try place.files() {
      let attributes = try FileManager.default.attributesOfItem(atPath: place.path + "/" + file)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
      let content = try Data(contentsOf: URL(fileURLWithPath: place.path + "/" + file))
      #expect(content.range(of: Data("remarkable".utf8)) == nil && !file.contains("remarkable"), "\(file)")
    }
    for folder in ["", "/.."] {
      let attributes = try FileManager.default.attributesOfItem(atPath: place.path + folder)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
    // Writing the same value again changes the file, since the nonce is new.
    let before = try Data(contentsOf: place.entryFile())
    try await store.set("remarkable-value", for: name)
    let after = try Data(contentsOf: place.entryFile())
    #expect(before.count == after.count && before != after)
    #expect(before[16..<28] != after[16..<28])
  }

  @Test("rejects names that are too long")
  func longNames() throws {
    let long = [UInt8](repeating: 1, count: EntryName.longest + 1)
    #expect(throws: StorageError.badName) { try EntryName(long, in: .documents, of: .local) }
    let origin = String(repeating: "o", count: EntryName.longest + 1)
    #expect(throws: StorageError.badName) { try EntryName("k", in: .documents, of: .web(origin: origin)) }
  }

  @Test("rejects a folder that other users can change")
  func openFolder() async throws {
    let name = try EntryName("k", in: .documents, of: .local)
    try await store.set("v", for: name)
    chmod(place.path, 0o777)
    await #expect(throws: StorageError.openToOthers(path: place.path)) { try await place.store().value(of: name) }
    chmod(place.path, 0o700)
    #expect(try await place.store().text(name) == "v")
  }

  @Test("reports a path that is not a folder, and a folder that cannot be created")
  func badFolders() async throws {
    let file = place.folder.file("file")
    try Data().write(to: URL(fileURLWithPath: file))
    let name = try EntryName("k", in: .documents, of: .local)
    for path in [file, file + "/below", "/proc/tessera"] {
      let error = await #expect(throws: FolderError.self) {
        try await EncryptedStore(path: path, secretService: { nil }).set("v", for: name)
      }
      #expect(error?.failure.kind == .storageUnavailable, "\(path)")
    }
  }
}
