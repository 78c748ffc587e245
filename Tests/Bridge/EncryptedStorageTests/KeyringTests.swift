import Foundation
import TesseraCore
import TesseraCryptography
import TesseraEncryptedStorage
import TesseraSecretService
import TestSupport
import Testing

extension RealPrograms {
  @Suite("The master key of the encrypted store in a real keyring", .enabled(if: SecretServiceLab.isEnabled))
  struct KeyringTests {
    let place: StorageFolder
    let name: EntryName
    static let schema = ["xdg:schema": "org.tessera.Storage"]

    init() throws {
      place = try StorageFolder()
      name = try EntryName("k", in: .secureStorage, of: one)
    }

    private func store(_ lab: SecretServiceLab) -> EncryptedStore {
      place.store(secretService: { try await SecretService.connect(address: lab.address) })
    }

    @Test("stores the key in the keyring, or in the folder without one, and reports the location")
    func where_() async throws {
      let lab = try await SecretServiceLab()
      try await store(lab).set("value", for: name)
      #expect(try await store(lab).protection() == .secretService)
      #expect(try await store(lab).text(name) == "value")
      let service = try #require(try await SecretService.connect(address: lab.address))
      let key = try #require(try await service.lookup(Self.schema)).withUnsafeBytes { Array($0) }
      #expect(key.count == 64)
      for file in try place.files() {
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.path + "/" + file)).range(of: Data(key)) == nil)
      }
      // The location of the key does not change.
      await #expect(throws: StorageError.noKeyring) { try await place.store().value(of: name) }
      await #expect(throws: StorageError.noKeyring) { try await place.store().set("other", for: name) }
      #expect(try await place.store().protection() == .secretService)
      #expect(try await store(lab).text(name) == "value")

      let without = try StorageFolder()
      let bare = try await SecretServiceLab(hasKeyring: false)
      let plain = without.store(secretService: { try await SecretService.connect(address: bare.address) })
      try await plain.set("value", for: name)
      #expect(try await plain.protection() == .keyFile)
      // Also if a keyring becomes available later.
      let later = without.store(secretService: { try await SecretService.connect(address: lab.address) })
      #expect(try await later.text(name) == "value")
      #expect(try await later.protection() == .keyFile)
    }

    @Test("treats a locked keyring as unavailable for a new store, and reports it for an existing one")
    func locked() async throws {
      let lab = try await SecretServiceLab()
      try await store(lab).set("value", for: name)
      let before = try place.files()
      try await lab.lock()
      await #expect(throws: SecretServiceError.locked) { try await store(lab).value(of: name) }
      await #expect(throws: SecretServiceError.locked) { try await store(lab).set("other", for: name) }
      await #expect(throws: SecretServiceError.locked) { try await store(lab).remove(name) }
      #expect(try place.files() == before)
      let new = try StorageFolder()
      let other = new.store(secretService: { try await SecretService.connect(address: lab.address) })
      try await other.set("value", for: name)
      #expect(try await other.protection() == .keyFile)
    }

    @Test("reports a missing or different key in the keyring, and overwrites nothing")
    func lost() async throws {
      let lab = try await SecretServiceLab()
      try await store(lab).set("value", for: name)
      let service = try #require(try await SecretService.connect(address: lab.address))
      let key = try #require(try await service.lookup(Self.schema))
      let text = try String(contentsOf: place.masterKey, encoding: .utf8)
      let entry = try Data(contentsOf: place.entryFile())
      let identifier = try #require(
        text.split(separator: "\n").first { $0.hasPrefix("Store: ") }?.dropFirst(7).description)
      let attributes = Self.schema.merging(["store": identifier]) { $1 }

      let wrong: [SecretBytes?] = [
        nil, SecretBytes([]), SecretBytes(Array("another".utf8)), SecretBytes(key, prefix: 63),
      ]
      for wrong in wrong {
        try await service.delete(Self.schema)
        if let wrong { try await service.store(wrong, label: "other", attributes: attributes) }
        let lost = StorageError.keyringLost(path: place.path)
        await #expect(throws: lost) { try await store(lab).value(of: name) }
        await #expect(throws: lost) { try await store(lab).set("other", for: name) }
        await #expect(throws: lost) { try await store(lab).remove(name) }
        await #expect(throws: lost) { try await store(lab).removeAll(in: .secureStorage, of: one) }
        await #expect(throws: lost) { try await store(lab).entries(in: .secureStorage, of: one) }
        #expect(try Data(contentsOf: place.entryFile()) == entry)
      }
      try await service.store(key, label: "restored", attributes: attributes)
      #expect(try await store(lab).text(name) == "value")
    }

    @Test("many tasks with two stores create one key, and leave no other one in the keyring")
    func race() async throws {
      let lab = try await SecretServiceLab()
      let stores = [store(lab), store(lab)]
      try await withThrowingTaskGroup { group in
        for index in 0..<16 {
          group.addTask {
            try await stores[index % 2].set("\(index)", for: EntryName("\(index)", in: .documents, of: .local))
          }
        }
        try await group.waitForAll()
      }
      for index in 0..<16 {
        #expect(try await store(lab).text(EntryName("\(index)", in: .documents, of: .local)) == "\(index)")
      }
      let found = try await lab.run("secret-tool", ["search", "--all", "xdg:schema", "org.tessera.Storage"])
      #expect((found.output + found.errors).components(separatedBy: "attribute.store = ").count == 2, "\(found)")
    }
  }
}
