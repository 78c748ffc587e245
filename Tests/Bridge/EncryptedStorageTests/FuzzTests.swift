import Foundation
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraEncryptedStorage

@Suite("Fuzzing of the formats of the encrypted store")
struct FuzzTests {
  let keys: StoreKeys
  let names: [EntryName]

  init() throws {
    keys = try StoreKeys(master: SecretBytes(Array("master".utf8)), store: "store")
    names = try [
      EntryName("", in: .documents, of: .local), EntryName("key", in: .secureStorage, of: one),
      EntryName(Array(0...255), in: .documents, of: two),
    ]
  }

  @Test("rejects each modified entry with a typed error")
  func entries() async throws {
    let files = try names.map { name in
      let identifier = try keys.identifier(of: name)
      return (try SealedEntry.seal(SecretBytes(Array("value".utf8)), as: name, identifier, keys), identifier)
    }
    var refused = 0
    try await Fuzzing.manyTimes(20_000, of: "changed entries") { generator in
      let (file, identifier) = files[Int.random(in: 0..<files.count, using: &generator)]
      let bytes = Fuzzing.mutated(file, &generator)
      guard bytes != file else { return }
      do {
        _ = try SealedEntry.open(SecretBytes(bytes), identifier, keys)
        Issue.record("a changed file was opened: \(bytes)")
      } catch let error as StorageError {
        switch error {
        case .damaged(identifier, _), .unknownVersion(identifier, _): refused += 1
        default: Issue.record("\(error)")
        }
      }
    }
    #expect(refused > 15_000)
  }

  @Test("accepts an authentic entry only if its content is its name and a value")
  func names_() async throws {
    var opened = 0
    var refused = 0
    try await Fuzzing.manyTimes(20_000, of: "authentic entries") { generator in
      let name = names[Int.random(in: 0..<names.count, using: &generator)]
      let identifier = try keys.identifier(of: name)
      let plaintext = Fuzzing.mutated(name.encoded + [1, 2, 3], &generator)
      let file = try SealedEntry.seal(plaintext: SecretBytes(plaintext), identifier, keys)
      do {
        let entry = try SealedEntry.open(SecretBytes(file), identifier, keys)
        #expect(entry.name == name)
        #expect(entry.value == SecretBytes(plaintext.dropFirst(name.encoded.count)))
        opened += 1
      } catch let error as StorageError {
        #expect(error == .damaged(file: identifier, "its name does not match"))
        refused += 1
      }
      // A decoded name has the same encoding again.
      plaintext.withUnsafeBytes { bytes in
        guard let other = EntryName(decoding: bytes) else { return }
        #expect(bytes.starts(with: other.encoded))
      }
    }
    #expect(opened > 100 && refused > 10_000)
  }

  @Test("rejects a modified master key file, or parses it to what it writes again")
  func masterKeys() async throws {
    let master = try RandomBytes.makeSecretText(32)
    let store = String(repeating: "0a", count: 16)
    let check = try StoreKeys(master: master, store: store).check
    let files = [
      MasterKeyFile(store: store, protection: .keyFile, check: check, key: master),
      MasterKeyFile(store: store, protection: .secretService, check: check, key: nil),
    ].map { $0.text.withUnsafeBytes { Array($0) } }
    var refused = 0
    try await Fuzzing.manyTimes(20_000, of: "files of master keys") { generator in
      let bytes = Fuzzing.mutated(files[Int.random(in: 0..<2, using: &generator)], &generator)
      do {
        let file = try MasterKeyFile(SecretBytes(bytes), path: "/p")
        _ = try MasterKeyFile(file.text, path: "/p")
        #expect((file.key == nil) == (file.protection == .secretService))
      } catch let error as StorageError {
        switch error {
        case .masterKeyDamaged("/p", _), .unknownVersion("/p", _): refused += 1
        default: Issue.record("\(error)")
        }
      }
    }
    #expect(refused > 5_000)
  }

  @Test("parses a modified usage record to plausible numbers or rejects it")
  func usageRecords() async throws {
    let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let record = Array("clean \(boot) 10000 268435456\n".utf8)
    #expect(UsageRecord.usage(String(decoding: record, as: UTF8.self)) == Usage(entries: 10_000, bytes: 268_435_456))
    var read = 0
    await Fuzzing.manyTimes(20_000, of: "records of usage") { generator in
      let text = String(decoding: Fuzzing.mutated(record, &generator), as: UTF8.self)
      guard let usage = UsageRecord.usage(text) else { return }
      #expect(usage.changed(from: nil, to: 1 << 40).changed(from: 1 << 40, to: nil) == usage)
      read += 1
    }
    #expect(read > 300)
  }
}
