import Cryptography
import Foundation
import TestSupport
import Testing

@testable import EncryptedStorage

@Suite("The formats of the encrypted store under hostile bytes")
struct FuzzTests {
  /// A bounded count; with `TESSERA_FUZZ_SECONDS` as long as that says, each, with other numbers in every run.
  static let seconds = ProcessInfo.processInfo.environment["TESSERA_FUZZ_SECONDS"].flatMap(Double.init)
  let keys: StoreKeys
  let names: [EntryName]

  init() throws {
    keys = try StoreKeys(master: SecretBytes(Array("master".utf8)), store: "store")
    names = try [
      EntryName("", in: .documents, of: .local), EntryName("key", in: .secureStorage, of: one),
      EntryName(Array(0...255), in: .documents, of: two),
    ]
  }

  /// Runs `body` many times, each with numbers of its own.
  private func manyTimes(_ count: Int, _ body: (inout SeededGenerator) throws -> Void) rethrows {
    let end = Self.seconds.map { ContinuousClock.now + .seconds($0) }
    let seed = Self.seconds == nil ? 1 : UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    var turns = 0
    repeat {
      for _ in 0..<count { try body(&generator) }
      turns += count
    } while end.map { ContinuousClock.now < $0 } ?? false
    if Self.seconds != nil { print("\(turns) inputs, seed \(seed)") }
  }

  /// A few changes: bytes, cuts, doubled and exchanged pieces, extreme numbers.
  private func mutated(_ original: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      let length = Int.random(in: 0...min(12, bytes.count - place), using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes.removeSubrange(place..<place + length)
      case 1: bytes.insert(contentsOf: bytes[place..<place + length], at: 0)
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
      case 3: for index in place..<place + length { bytes[index] = UInt8.random(in: 0...255, using: &generator) }
      case 4:
        for index in place..<place + length {
          bytes[index] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        }
      default: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
      }
    }
    return bytes
  }

  @Test("a changed entry never opens, and the error is one of ours")
  func entries() throws {
    let files = try names.map { name in
      let identifier = try keys.identifier(of: name)
      return (try SealedEntry.seal(SecretBytes(Array("value".utf8)), as: name, identifier, keys), identifier)
    }
    var refused = 0
    try manyTimes(20_000) { generator in
      let (file, identifier) = files[Int.random(in: 0..<files.count, using: &generator)]
      let bytes = mutated(file, &generator)
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

  @Test("an authentic entry with any inner bytes opens only where these are its name and a value")
  func names_() throws {
    var opened = 0
    var refused = 0
    try manyTimes(20_000) { generator in
      let name = names[Int.random(in: 0..<names.count, using: &generator)]
      let identifier = try keys.identifier(of: name)
      let plaintext = mutated(name.encoded + [1, 2, 3], &generator)
      let file = try SealedEntry.seal(plaintext: SecretBytes(plaintext), identifier, keys)
      do {
        let entry = try SealedEntry.open(SecretBytes(file), identifier, keys)
        #expect(entry.name == name)
        #expect(entry.value == SecretBytes(plaintext.dropFirst(name.encoded.count)))
        opened += 1
      } catch let error as StorageError {
        #expect(error == .damaged(file: identifier, "its name is another one"))
        refused += 1
      }
      // Whatever name these bytes tell, it is written the same way again.
      plaintext.withUnsafeBytes { bytes in
        guard let other = EntryName(decoding: bytes) else { return }
        #expect(bytes.starts(with: other.encoded))
      }
    }
    #expect(opened > 100 && refused > 10_000)
  }

  @Test("a changed file of the master key is refused, or tells what can be told again")
  func masterKeys() throws {
    let master = try RandomBytes.makeSecretText(32)
    let store = String(repeating: "0a", count: 16)
    let check = try StoreKeys(master: master, store: store).check
    let files = [
      MasterKeyFile(store: store, protection: .keyFile, check: check, key: master),
      MasterKeyFile(store: store, protection: .secretService, check: check, key: nil),
    ].map { $0.text.withUnsafeBytes { Array($0) } }
    var refused = 0
    try manyTimes(20_000) { generator in
      let bytes = mutated(files[Int.random(in: 0..<2, using: &generator)], &generator)
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

  @Test("a changed record of usage is read as one or not at all, and can be calculated with")
  func usageRecords() throws {
    let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let record = Array("clean \(boot) 10000 268435456\n".utf8)
    #expect(UsageRecord.usage(String(decoding: record, as: UTF8.self)) == Usage(entries: 10_000, bytes: 268_435_456))
    var read = 0
    manyTimes(20_000) { generator in
      let text = String(decoding: mutated(record, &generator), as: UTF8.self)
      guard let usage = UsageRecord.usage(text) else { return }
      #expect(usage.changed(from: nil, to: 1 << 40).changed(from: 1 << 40, to: nil) == usage)
      read += 1
    }
    #expect(read > 300)
  }
}
