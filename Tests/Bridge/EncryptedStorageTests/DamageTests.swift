import Foundation
import TesseraCore
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraEncryptedStorage

@Suite("Damaged files of the encrypted store")
struct DamageTests {
  let place: StorageFolder
  let store: EncryptedStore
  let name: EntryName

  init() throws {
    place = try StorageFolder()
    store = place.store()
    name = try EntryName("name", in: .documents, of: one)
  }

  /// The error of reading a file with this content; nil if a value is read.
  private func error(_ content: Data, at file: URL) async throws -> StorageError? {
    try content.write(to: file)
    do {
      _ = try await store.value(of: name)
      return nil
    } catch let error as StorageError {
      return error
    }
  }

  @Test("reports a file with any changed byte, truncated or extended, as damaged, and keeps it")
  func everyByte() async throws {
    try await store.set("a value", for: name)
    let file = try place.entryFile()
    let whole = try Data(contentsOf: file)
    #expect(whole.count == 16 + 12 + name.encoded.count + 7 + 16)
    for index in whole.indices {
      for change: UInt8 in [1, 0x20, 0x80, 0xFF] {
        var changed = whole
        changed[index] ^= change
        let error = try await error(changed, at: file)
        if index == 15 {
          #expect(error == .unknownVersion(file: file.lastPathComponent, Int(1 ^ change)))
        } else {
          guard case .damaged(file.lastPathComponent, _) = error else {
            Issue.record("byte \(index): \(String(describing: error))")
            continue
          }
        }
        #expect(try Data(contentsOf: file) == changed)
      }
    }
    let lengths = whole.indices.map { Data(whole.prefix($0)) }
    for content in lengths + [whole + [0], whole + whole] {
      guard case .damaged(file.lastPathComponent, _) = try await error(content, at: file) else {
        Issue.record("\(content.count) bytes of \(whole.count)")
        continue
      }
    }
    #expect(try await error(whole, at: file) == nil)
  }

  @Test("reports the number of an unsupported version", arguments: [0, 2, 255])
  func versions(_ version: UInt8) async throws {
    try await store.set("a value", for: name)
    let file = try place.entryFile()
    var content = try Data(contentsOf: file)
    content[15] = version
    #expect(try await error(content, at: file) == .unknownVersion(file: file.lastPathComponent, Int(version)))
    let text = try String(contentsOf: place.masterKey, encoding: .utf8)
    try text.replacing("Tessera-Storage-Key: 1", with: "Tessera-Storage-Key: \(version)")
      .write(to: place.masterKey, atomically: true, encoding: .utf8)
    await #expect(throws: StorageError.unknownVersion(file: place.masterKey.path, Int(version))) {
      try await place.store().set("v", for: name)
    }
  }

  @Test("does not decrypt a file under another name or in another collection, owner folder or store")
  func moved() async throws {
    let others = try [
      EntryName("other", in: .documents, of: one), EntryName("name", in: .secureStorage, of: one),
      EntryName("name", in: .documents, of: two), EntryName("name", in: .documents, of: .local),
    ]
    try await store.set("mine", for: name)
    let mine = try place.entryFile()
    var files = [mine]
    for other in others {
      try await store.set("theirs", for: other)
      let file = try #require(try place.entryFiles().first { !files.contains($0) })
      files.append(file)
      let theirs = try Data(contentsOf: file)
      try Data(contentsOf: mine).write(to: file)
      let place = "it was modified, or belongs to another entry"
      await #expect(throws: StorageError.damaged(file: file.lastPathComponent, place)) {
        try await store.value(of: other)
      }
      // A listing contains the other entries and reports the damaged one, which can be removed or overwritten.
      let listing = try await store.entries(in: other.collection, of: other.owner)
      #expect(listing.damaged == [file.lastPathComponent])
      #expect(!listing.names.contains(other))
      try theirs.write(to: file)
      #expect(try await store.text(other) == "theirs")
    }
    let elsewhere = try StorageFolder()
    try await elsewhere.store().set("other store", for: name)
    let content = try Data(contentsOf: elsewhere.entryFile())
    guard case .damaged? = try await error(content, at: mine) else {
      Issue.record("a file of another store")
      return
    }
    try await store.set("again", for: name)
    #expect(try await store.text(name) == "again")
    try Data().write(to: mine)
    #expect(try await store.remove(name))
    #expect(try await store.value(of: name) == nil)
  }

  @Test("rejects an authentic file whose encrypted name differs or is invalid")
  func innerName() throws {
    let keys = try StoreKeys(master: SecretBytes(Array("master".utf8)), store: "store")
    let identifier = try keys.identifier(of: name)
    let other = try EntryName("other", in: .documents, of: one)
    let plaintexts = [other.encoded + [1, 2, 3], [], Array(name.encoded.dropLast()), [0xFF, 0xFF, 0xFF, 0xFF]]
    for plaintext in plaintexts {
      let file = try SealedEntry.seal(plaintext: SecretBytes(plaintext), identifier, keys)
      #expect(throws: StorageError.damaged(file: identifier, "its name does not match")) {
        try SealedEntry.open(SecretBytes(file), identifier, keys)
      }
    }
    let opened = try SealedEntry.open(
      SecretBytes(SealedEntry.seal(SecretBytes([9]), as: name, identifier, keys)), identifier, keys)
    #expect(opened.name == name)
    #expect(opened.value == SecretBytes([9]))
  }

  @Test("rejects a symbolic link, a folder or a pipe in place of an entry without blocking")
  func otherKinds() async throws {
    try await store.set("a value", for: name)
    let file = try place.entryFile()
    let copy = place.folder.file("copy")
    let makers: [() throws -> Void] = [
      {
        try FileManager.default.moveItem(atPath: file.path, toPath: copy)
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: copy)
      }, { try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false) },
      { mkfifo(file.path, 0o600) },
    ]
    for make in makers {
      try make()
      await #expect(throws: StorageError.damaged(file: file.lastPathComponent, "it cannot be read as a file")) {
        try await store.value(of: name)
      }
      try FileManager.default.removeItem(at: file)
    }
    #expect(try await store.value(of: name) == nil)
  }

  @Test("rejects a master key file that is modified, truncated or from another store")
  func masterKey() async throws {
    try await store.set("a value", for: name)
    let whole = try Data(contentsOf: place.masterKey)
    let entry = try Data(contentsOf: place.entryFile())
    #expect(whole.count > 200)
    let changes = whole.indices.map { index in
      var changed = whole
      changed[index] ^= [1, 0x20, 0x80][index % 3]
      return changed
    }
    let elsewhere = try StorageFolder()
    try await elsewhere.store().set("other store", for: name)
    let other = try Data(contentsOf: elsewhere.masterKey)
    let lengths = whole.indices.map { Data(whole.prefix($0)) }
    let longer = [whole + Data([10]), whole + whole]
    for content in changes + lengths + longer {
      try content.write(to: place.masterKey)
      for attempt in 0..<2 {
        do {
          let store = place.store()
          if attempt == 0 { _ = try await store.value(of: name) } else { try await store.set("new", for: name) }
          Issue.record("a file of \(content.count) bytes was accepted")
        } catch StorageError.masterKeyDamaged(place.masterKey.path, _) {
        } catch StorageError.unknownVersion(place.masterKey.path, _) {}
      }
    }
    #expect(try Data(contentsOf: place.entryFile()) == entry)
    // With the key of another store, the file names differ: no entry is found, and none is lost.
    try other.write(to: place.masterKey)
    #expect(try await place.store().value(of: name) == nil)
    try whole.write(to: place.masterKey)
    #expect(try await place.store().text(name) == "a value")
  }

  @Test("reports a missing master key file instead of missing entries, and creates no new key")
  func masterKeyMissing() async throws {
    try await store.set("a value", for: name)
    let whole = try Data(contentsOf: place.masterKey)
    try FileManager.default.removeItem(at: place.masterKey)
    let missing = StorageError.masterKeyMissing(path: place.masterKey.path)
    for store in [store, place.store()] {
      await #expect(throws: missing) { try await store.value(of: name) }
      await #expect(throws: missing) { try await store.set("new", for: name) }
      await #expect(throws: missing) { try await store.remove(name) }
      await #expect(throws: missing) { try await store.removeAll(in: .documents, of: one) }
      await #expect(throws: missing) { try await store.entries(in: .documents, of: one) }
      await #expect(throws: missing) { try await store.protection() }
    }
    try whole.write(to: place.masterKey)
    #expect(try await store.text(name) == "a value")
  }

  @Test("detects that a store was deleted and created again")
  func createdAgain() async throws {
    try await store.set("old", for: name)
    try FileManager.default.removeItem(atPath: place.path)
    #expect(try await store.value(of: name) == nil)
    let other = place.store()
    try await other.set("new", for: name)
    #expect(try await store.text(name) == "new")
    try await store.set("newer", for: name)
    #expect(try await other.text(name) == "newer")
  }

  @Test("each error has a cause, a remedy and a kind, and none contains a name or a value")
  func words() {
    let errors: [StorageError] = [
      .badName, .tooLarge(limit: 1), .full(StorageLimits()), .damaged(file: "f", "r"), .unknownVersion(file: "f", 2),
      .masterKeyDamaged(path: "/p", "r"), .masterKeyMissing(path: "/p"), .noKeyring, .keyringLost(path: "/p"),
      .openToOthers(path: "/p"), .changedConcurrently,
    ]
    for error in errors {
      let failure = error.failure
      #expect(failure.cause.hasSuffix(".") && failure.remedy?.isEmpty == false, "\(error)")
      #expect([.usage, .storageUnavailable, .storageFailed, .storageFull].contains(failure.kind), "\(error)")
    }
  }

  @Test("decrypts an older file of the same name, as documented")
  func rollback() async throws {
    try await store.set("old", for: name)
    let file = try place.entryFile()
    let old = try Data(contentsOf: file)
    try await store.set("new", for: name)
    try old.write(to: file)
    #expect(try await store.text(name) == "old")
    #expect(try await place.store().text(name) == "old")
  }
}
