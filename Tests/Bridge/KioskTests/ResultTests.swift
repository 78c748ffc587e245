import Foundation
import TesseraBridge
import TesseraCryptography
import TesseraJSON
import TesseraKeys
import TesseraKiosk
import TestSupport
import Testing

@testable import KioskGuests

@Suite("The results of a kiosk")
struct ResultTests {
  let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  var folder: ResultFolder { ResultFolder(path: place.file("results")) }

  @Test("have the members that are disclosed, and nothing else of the document")
  func members() throws {
    let result = GuestResult(
      .guest(7), disclosed: ["surname", "dateOfExpiry"], kiosk: "kiosk 1",
      time: Date(timeIntervalSince1970: 1_796_000_000))
    let json = try JSONValue(text: String(decoding: result.json, as: UTF8.self))
    #expect(json["document"] == ["surname": "GUEST7", "dateOfExpiry": "120415"])
    #expect(json["outcome"] == "genuine" && json["kiosk"] == "kiosk 1" && json["id"] == .string(result.identifier))
    #expect(json["findings"] == ["zone.filler"] && json["checks"] == ["passive.hashes": "passed"])
    #expect(json["time"]?.stringValue == "2026-11-30T00:53:20Z")
    #expect(result.name == "20261130T005320Z-\(result.identifier)")
  }

  @Test("are signed files, which openssl verifies, and of which a whole one has both")
  func signedFiles() async throws {
    let signer = try ResultSigner.test(keys: place.file("keys"))
    let prepared = try await signer.prepare()
    #expect(prepared.isNew)
    #expect(try await !signer.prepare().isNew)
    let keeper = ResultKeeper(folder: folder, signer: signer) { _ in }
    let result = GuestResult.test(1)
    #expect(await keeper.keep(result))
    #expect(try folder.names() == [result.name])
    let entry = try #require(try folder.entry(result.name))
    #expect(entry.json == result.json && entry.identifier == result.identifier)
    #expect(try prepared.publicKey.verify(try P256Signature(der: entry.signature), over: result.json))
    // A crash after the signature and before the result leaves no result.
    unlink(place.file("results/\(result.name).json"))
    #expect(try folder.names().isEmpty)
    #expect(try folder.entry(result.name) == nil)
    try folder.removeLeftovers()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("cannot be signed by the page, which can use every other key")
  func reservedKey() async throws {
    let keys = PageKeys()
    let provider = ReservedKeyCryptoProvider(keys, reserved: try KeyName("kiosk"))
    await #expect(throws: BridgeError.self) { try await provider.sign("kiosk", "AA==", for: .local) }
    await #expect(throws: BridgeError.self) { try await provider.sign("kiosk", "AA==", as: .p1363, for: .local) }
    await #expect(throws: BridgeError.self) { try await provider.deleteKey("kiosk", for: .local) }
    await #expect(throws: BridgeError.self) {
      try await provider.generateKey("kiosk", needsPresence: false, for: .local)
    }
    #expect(keys.used.all.isEmpty)
    #expect(try await provider.sign("other", "AA==", for: .local) == "signature")
    #expect(try await provider.getPublicKey("kiosk", as: .point, for: .local) == "key")
    try await provider.deleteKey("kiosk", for: .web(origin: "https://shop.example"))
    #expect(keys.used.all == ["other", "kiosk", "kiosk"])
  }

  @Test("are signed with a new key after somebody deleted it, which is said")
  func newKey() async throws {
    let made = Events<String>()
    let store = FileKeyStore(path: place.file("keys"), newKeys: .unprotected, secrets: NonInteractive())
    let signer = ResultSigner(store: store, name: try KeyName("kiosk")) { made.add("made") }
    _ = try await signer.prepare()
    _ = try await signer.signature(of: [1])
    #expect(made.all.count == 1)
    try await store.delete(try KeyName("kiosk"))
    _ = try await signer.signature(of: [1])
    #expect(made.all.count == 2)
  }

  @Test("wait in memory while the disk takes nothing, and are then all written")
  func fullDisk() async throws {
    // A file in place of the folder's parent refuses everything, as a full disk does, and also to root.
    #expect(FileManager.default.createFile(atPath: place.file("disk"), contents: nil))
    let folder = ResultFolder(path: place.file("disk/results"))
    let clock = ManualClock()
    let events = Events<ResultKeeper.Event>()
    let signer = try ResultSigner.test(keys: place.file("keys"))
    _ = try await signer.prepare()
    let keeper = ResultKeeper(folder: folder, signer: signer, clock: clock) { events.add($0) }
    for number in 0..<10 { #expect(await !keeper.keep(.test(number))) }
    #expect(await keeper.waitingCount == 10)
    try await clock.advance(whenAwaited: .seconds(1))
    try await clock.waits(2)
    #expect(await keeper.waitingCount == 10)
    unlink(place.file("disk"))
    // A new result does not wait for the others.
    #expect(await keeper.keep(.test(10)))
    try await clock.advance(whenAwaited: .seconds(2))
    try await eventually { await keeper.waitingCount == 0 }
    #expect(try folder.names().count == 11)
    let kept = events.all.filter { if case .kept = $0 { true } else { false } }
    #expect(kept.count == 11)
  }

  @Test("do not follow from other files of the folder")
  func foreignFiles() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    for name in ["a.json", "20261130T005320Z-x.json", ".json", "\(String(repeating: "é", count: 27)).json"] {
      #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(name)", contents: Data("{}".utf8)))
    }
    #expect(try folder.names().isEmpty)
    try folder.removeLeftovers()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 4)
  }
}

/// The keys of a page, which are invented.
private struct PageKeys: CryptoProvider {
  let used = Events<String>()

  func generateKey(_ keyRef: String, needsPresence: Bool, for caller: Caller) async throws { used.add(keyRef) }

  func getPublicKey(_ keyRef: String, as form: CryptoPublicKeyForm, for caller: Caller) async throws -> String? {
    used.add(keyRef)
    return "key"
  }

  func sign(_ keyRef: String, _ data: String, for caller: Caller) async throws -> String? {
    used.add(keyRef)
    return "signature"
  }

  func deleteKey(_ keyRef: String, for caller: Caller) async throws { used.add(keyRef) }
}
