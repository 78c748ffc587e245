import Foundation
import TesseraBridge
import TesseraCore
import TesseraCryptography
import TesseraHTTPClient
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
    let whole = try JSONValue(text: String(decoding: GuestResult(.guest(7), kiosk: "kiosk 1").json, as: UTF8.self))
    guard case .object(let members)? = whole["document"] else { return #expect(Bool(false), "no document") }
    #expect(members.names == GuestResult.members)
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
    // A new result does not wait for the others, which do not wait for the time of their next try then.
    #expect(await keeper.keep(.test(10)))
    try await eventually { await keeper.waitingCount == 0 }
    try await clock.advance(whenAwaited: .seconds(2))
    #expect(try folder.names().count == 11)
    let kept = events.all.filter { if case .kept = $0 { true } else { false } }
    #expect(kept.count == 11)
  }

  @Test("outlive the program where their folder takes nothing, and are written by the next one")
  func spool() async throws {
    #expect(FileManager.default.createFile(atPath: place.file("disk"), contents: nil))
    let folder = ResultFolder(path: place.file("disk/results"))
    let spools = [place.file("session"), place.file("state")]
    let earlier = GuestResult.test(1)
    #expect(ResultSpool(folders: spools).park(earlier, everywhere: true) == spools[1])
    let events = Events<ResultKeeper.Event>()
    let signer = try ResultSigner.test(keys: place.file("keys"))
    _ = try await signer.prepare()
    let clock = ManualClock()
    let keeper = ResultKeeper(folder: folder, signer: signer, spool: ResultSpool(folders: spools), clock: clock) {
      events.add($0)
    }
    #expect(await keeper.recover() == 1)
    #expect(await !keeper.keep(.test(2)))
    #expect(await keeper.recover() == 0)
    for path in spools { #expect(try ResultFolder(path: path).names().count == 2, "\(path)") }
    // The reason is said for each result, and not again for each try.
    let refusals = { events.all.count { if case .notKept = $0 { true } else { false } } }
    #expect(refusals() == 2)
    try await clock.advance(whenAwaited: .seconds(1))
    try await clock.waits(2)
    #expect(refusals() == 2)
    unlink(place.file("disk"))
    #expect(await keeper.keep(.test(3)))
    try await eventually { await keeper.waitingCount == 0 }
    try await clock.advance(whenAwaited: .seconds(2))
    #expect(try folder.names().count == 3)
    #expect(try #require(try folder.entry(earlier.name)).json == earlier.json)
    for path in spools { #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty, "\(path)") }
  }

  @Test("of the spool are told as lost only if they are not there, whatever becomes of the newest one")
  func lost() async throws {
    #expect(FileManager.default.createFile(atPath: place.file("disk"), contents: nil))
    let folder = ResultFolder(path: place.file("disk/results"))
    let (spool, away) = (place.file("spool"), place.file("away"))
    let events = Events<ResultKeeper.Event>()
    let clock = ManualClock()
    let keeper = ResultKeeper(
      folder: folder, signer: try ResultSigner.test(keys: place.file("keys")), spool: ResultSpool(folders: [spool]),
      clock: clock, most: 2
    ) { events.add($0) }
    let lost = {
      events.all.compactMap { event in if case .lost(let identifier) = event { identifier } else { nil } }
    }
    let results = (1...4).map(GuestResult.test)
    await keeper.keep(results[0])
    // The spool takes nothing now.
    try FileManager.default.moveItem(atPath: spool, toPath: away)
    #expect(FileManager.default.createFile(atPath: spool, contents: nil))
    await keeper.keep(results[1])
    await keeper.keep(results[2])
    #expect(lost().isEmpty)
    unlink(spool)
    try FileManager.default.moveItem(atPath: away, toPath: spool)
    await keeper.keep(results[3])
    #expect(lost() == [results[1].identifier])
    #expect(await keeper.waitingCount == 2)
    unlink(place.file("disk"))
    #expect(await keeper.keep(.test(5)))
    try await eventually { await keeper.waitingCount == 0 }
    try await clock.advance(whenAwaited: .seconds(1))
    #expect(try folder.names().count == 3)
  }

  @Test("have a second copy where the first cannot be read, and say where one remains")
  func copies() async throws {
    let spools = [place.file("session"), place.file("state")]
    let result = GuestResult.test(1)
    #expect(ResultSpool(folders: spools).park(result, everywhere: true) == spools[1])
    // A folder of this name is neither read nor removed as a file, also by root.
    let copy = "\(spools[1])/\(result.name).json"
    unlink(copy)
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
    let folder = ResultFolder(path: place.file("results"))
    let events = Events<ResultKeeper.Event>()
    let keeper = ResultKeeper(
      folder: folder, signer: try ResultSigner.test(keys: place.file("keys")), spool: ResultSpool(folders: spools)
    ) { events.add($0) }
    #expect(await keeper.recover() == 1)
    #expect(try #require(try folder.entry(result.name)).json == result.json)
    let left = events.all.compactMap { event in
      if case .notRemoved(result.identifier, let folder, _) = event { folder } else { nil }
    }
    #expect(left == [spools[1]])
  }

  @Test("wait in a folder of their destination, disclosed members and kind")
  func spoolNames() throws {
    let desk = GuestBook.Destination.server(try HTTPSAddress("https://desk.example/results"), outbox: "/outbox")
    let own = GuestBook.Destination.folder("/results")
    func name(_ destination: GuestBook.Destination, _ disclosed: [String], _ isVirtual: Bool = false) throws -> String {
      try ResultSpool.folderName(destination, disclosed: disclosed, isVirtual: isVirtual)
    }
    let first = try name(own, ["surname", "sex"])
    #expect(first.wholeMatch(of: /kiosk-waiting-[0-9a-f]{16}/) != nil)
    #expect(try name(.folder("/other/../results"), ["sex", "surname"]) == first)
    let others = [
      try name(desk, ["surname", "sex"]), try name(own, ["surname"]), try name(own, ["surname", "sex"], true),
    ]
    #expect(Set(others + [first]).count == 4)
  }

  @Test("need a folder, and not a file or a place of the kernel")
  func places() throws {
    #expect(FileManager.default.createFile(atPath: place.file("file"), contents: nil))
    for path in [place.file("file"), "/proc/kiosk", "/proc/kiosk/results", "/proc/kiosk/../x"] {
      let error = #expect(throws: Failure.self, "\(path)") { try ResultFolder(path: path).requireFolder() }
      #expect(error?.kind == .usage)
    }
    // These may become folders.
    for path in [
      place.file("new/results"), place.file("file/results"), place.url.path, "results", "/kiosk-x/..",
      "/kiosk-x/../../y",
    ] {
      try ResultFolder(path: path).requireFolder()
    }
  }

  @Test("need a place that can become a folder, which a check says, and a kiosk that runs waits for")
  func impossiblePlaces() throws {
    #expect(FileManager.default.createFile(atPath: place.file("file"), contents: nil))
    #expect(symlink(place.file("loop"), place.file("loop")) == 0)
    let signer = try ResultSigner.test(keys: place.file("keys"))
    func settings(_ destination: GuestBook.Destination) -> GuestBook.Settings {
      var settings = GuestBook.Settings(kiosk: "kiosk 1")
      settings.destination = (destination, signer)
      return settings
    }
    let desk = try HTTPSAddress("https://desk.example/results")
    for path in ["file/results", "file/../x", "file/", "loop/results", String(repeating: "x", count: 300)] {
      let path = "\(place.url.path)/\(path)"
      for destination in [GuestBook.Destination.folder(path), .server(desk, outbox: path)] {
        let error = #expect(throws: Failure.self, "\(path)") { try settings(destination).requirePlace() }
        #expect(error?.kind == .usage && error?.cause.contains("cannot be written") == true, "\(error?.cause ?? "")")
      }
    }
    for path in ["new/results", "results"] { try settings(.folder(place.file(path))).requirePlace() }
    try GuestBook.Settings(kiosk: "kiosk 1").requirePlace()
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
