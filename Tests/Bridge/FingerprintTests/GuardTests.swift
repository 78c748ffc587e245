import Foundation
import TesseraBridge
import TesseraCore
import TesseraCryptography
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraEncryptedStorage
@testable import TesseraFingerprint
@testable import TesseraKeys
@testable import TesseraLinuxProviders

/// What a guard must withstand: every way to read a guarded entry, or to sign with a guarded key, without a finger.
@Suite("Guards of entries and keys")
struct GuardTests {
  static let page = Caller.web(origin: "https://a.example")
  static let message: JSONValue = .string(Data("attack at dawn".utf8).base64EncodedString())

  /// A provider that counts its prompts.
  final class Finger: BiometricProvider {
    let prompts = Locked(0)
    let isPresent: Locked<Bool>
    let accepts: Locked<Bool>
    init(isPresent: Bool = true, accepts: Bool = true) {
      self.isPresent = Locked(isPresent)
      self.accepts = Locked(accepts)
    }
    func isAvailable() async -> Bool { isPresent.withLock { $0 } }
    func getBiometryType() async -> String { "touchId" }
    func authenticate(reason: String, for caller: Caller) async throws {
      guard isPresent.withLock({ $0 }) else { throw FingerprintError.noReader }
      prompts.withLock { $0 += 1 }
      guard accepts.withLock({ $0 }) else { throw Failure(.confirmationRefused, "The finger was not recognised.") }
    }
  }

  /// A dialog that counts its prompts.
  final class Dialog: ConfirmationPrompting {
    let prompts = Locked(0)
    func confirm(_ text: String) async throws -> Bool? {
      prompts.withLock { $0 += 1 }
      return true
    }
  }

  /// One process: a registry of its own, with stores in a folder that several share.
  struct Process {
    let registry = SdkProviderRegistry()
    let store: EncryptedStore
    let router: MessageRouter

    init(_ folder: TemporaryFolder, _ finger: Finger?, _ dialog: Dialog = Dialog()) {
      let store = EncryptedStore(path: folder.file("storage")) { nil }
      let keys = FileKeyStore(path: folder.file("keys"), newKeys: .unprotected, secrets: NonInteractive())
      self.store = store
      registry.register { providers in
        providers.biometric = finger
        providers.secureStorage = EncryptedStorageProvider(store: store)
        providers.documents = EncryptedDocumentsProvider(store: store)
        let prompt: any ConfirmationPrompting = finger.map { FingerOrDialog(biometrics: $0, dialog: dialog) } ?? dialog
        providers.crypto = KeyStoreCryptoProvider(
          store: keys, confirmations: SignatureConfirmation(prompting: prompt))
      }
      router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: registry))
    }

    func ask(
      _ target: String, _ parameters: JSONObject = [:], from caller: Caller = page
    ) async throws -> Result<JSONValue, BridgeError> {
      let parts = target.split(separator: ".").map(String.init)
      let domain = try #require(BridgeDomain(rawValue: parts[0]))
      let answer = Locked<Result<JSONValue, BridgeError>?>(nil)
      // Each request has a connection of its own.
      await router.route(
        BridgeRequest(
          id: "1", domain: domain, method: parts[1], parameters: BridgeParameters(parameters), caller: caller,
          connection: BridgeConnection())
      ) { message in
        if case .response(_, _, let outcome) = message { answer.withLock { $0 = outcome } }
      }
      return try #require(answer.withLock { $0 })
    }

    func value(_ key: String, from caller: Caller = page) async throws -> JSONValue? {
      try await ask("secureStorage.get", ["key": .string(key)], from: caller).get()["value"]
    }
  }

  static func code(_ result: Result<JSONValue, BridgeError>) -> String? {
    if case .failure(let error) = result { error.code } else { nil }
  }

  // MARK: - Entries

  @Test("an entry that was stored with the flag requires a finger without the flag, in this and another process")
  func stored() async throws {
    let folder = try TemporaryFolder()
    let finger = Finger()
    let first = Process(folder, finger)
    _ = try await first.ask("secureStorage.set", ["key": "k", "value": "s3cret", "requireBiometric": "True"]).get()
    _ = try await first.ask("secureStorage.set", ["key": "free", "value": "open"]).get()
    for process in [first, Process(folder, finger)] {
      let before = finger.prompts.withLock { $0 }
      #expect(try await process.value("k") == "s3cret")
      #expect(finger.prompts.withLock { $0 } == before + 1)
      #expect(try await process.value("free") == "open")
      #expect(finger.prompts.withLock { $0 } == before + 1)
    }
    finger.accepts.withLock { $0 = false }
    for parameters: JSONObject in [
      ["key": "k"], ["key": "k", "requireBiometric": false], ["key": "k", "requireBiometric": nil],
    ] {
      let answer = try await Process(folder, finger).ask("secureStorage.get", parameters)
      #expect(Self.code(answer) == "BIOMETRIC_FAILED")
      #expect(!"\(answer)".contains("s3cret"))
    }
  }

  @Test("set, remove and clear do not shed the guard")
  func shedding() async throws {
    let folder = try TemporaryFolder()
    let finger = Finger()
    let process = Process(folder, finger)
    _ = try await process.ask("secureStorage.set", ["key": "k", "value": "1", "requireBiometric": true]).get()
    finger.accepts.withLock { $0 = false }
    let attempts: [[(String, JSONObject)]] = [
      [("secureStorage.remove", ["key": "k"]), ("secureStorage.set", ["key": "k", "value": "4"])],
      [("secureStorage.clear", [:]), ("secureStorage.set", ["key": "k", "value": "5"])],
    ]
    for steps in attempts {
      for (target, parameters) in steps { _ = try await process.ask(target, parameters).get() }
      for reader in [process, Process(folder, finger)] {
        #expect(Self.code(try await reader.ask("secureStorage.get", ["key": "k"])) == "BIOMETRIC_FAILED", "\(steps)")
      }
    }
    finger.accepts.withLock { $0 = true }
    #expect(try await process.value("k") == "5")
  }

  @Test("a guarded entry is replaced only after a finger; a missed touch destroys nothing")
  func replacing() async throws {
    let folder = try TemporaryFolder()
    let finger = Finger()
    let process = Process(folder, finger)
    let page: JSONObject = ["key": "self_private_key", "value": "first", "requireBiometric": true]
    _ = try await process.ask("secureStorage.set", page).get()
    #expect(finger.prompts.withLock { $0 } == 0)
    // The published client: an error of `get` is no key, so it generates one and stores it.
    finger.accepts.withLock { $0 = false }
    #expect(Self.code(try await process.ask("secureStorage.get", ["key": "self_private_key"])) == "BIOMETRIC_FAILED")
    for flag: JSONValue in [true, false] {
      let set = try await Process(folder, finger).ask(
        "secureStorage.set", ["key": "self_private_key", "value": "second", "requireBiometric": flag])
      #expect(Self.code(set) == "BIOMETRIC_FAILED")
    }
    #expect(finger.prompts.withLock { $0 } == 3)
    finger.accepts.withLock { $0 = true }
    #expect(try await process.value("self_private_key") == "first")
    _ = try await process.ask("secureStorage.set", ["key": "self_private_key", "value": "third"]).get()
    #expect(finger.prompts.withLock { $0 } == 5)
    #expect(try await process.value("self_private_key") == "third")
    // Without an entry, nothing is lost.
    finger.accepts.withLock { $0 = false }
    _ = try await process.ask("secureStorage.remove", ["key": "self_private_key"]).get()
    _ = try await process.ask("secureStorage.set", page).get()
    #expect(finger.prompts.withLock { $0 } == 6)
  }

  @Test("the answer says when the password permitted it")
  func password() async throws {
    struct Password: BiometricProvider {
      func isAvailable() async -> Bool { true }
      func getBiometryType() async -> String { "none" }
      func authenticate(reason: String, for caller: Caller) async throws {}
      func authenticate(
        reason: String, for caller: Caller, onProgress: @escaping @Sendable (BiometricProgress) -> Void
      ) async throws -> AuthenticationMethod { .deviceCredential }
    }
    let folder = try TemporaryFolder()
    let process = Process(folder, Finger())
    _ = try await process.ask("secureStorage.set", ["key": "k", "value": "v", "requireBiometric": true]).get()
    #expect(try await process.ask("secureStorage.get", ["key": "k"]).get() == ["value": "v"])
    process.registry.register { $0.biometric = Password() }
    let answer = try await process.ask("secureStorage.get", ["key": "k"]).get()
    #expect(answer == ["value": "v", "authenticatedBy": "deviceCredential"])
  }

  @Test("another spelling, domain or caller reads another entry, never the guarded one")
  func spellings() async throws {
    let folder = try TemporaryFolder()
    let finger = Finger()
    let process = Process(folder, finger)
    for key in ["\u{E9}", "Key", "5", ""] {
      _ = try await process.ask(
        "secureStorage.set", ["key": .string(key), "value": "s3cret", "requireBiometric": true]
      ).get()
    }
    finger.accepts.withLock { $0 = false }
    // The decomposed form, other cases, and names that a careless store would join.
    for key: JSONValue in [
      "e\u{301}", "key", "KEY", "Key ", "Key\u{0}", "./Key", "guards/Key", " ", "\u{0}", "5.0", "05", "%4Bey",
    ] {
      #expect(try await process.ask("secureStorage.get", ["key": key]).get()["value"] == .null, "\(key)")
    }
    // A number is its text.
    for key: JSONValue in ["\u{E9}", "Key", "5", 5, ""] {
      #expect(Self.code(try await process.ask("secureStorage.get", ["key": key])) == "BIOMETRIC_FAILED", "\(key)")
      for caller in [Caller.local, .web(origin: "https://b.example"), .web(origin: "http://a.example")] {
        let answer = try await process.ask("secureStorage.get", ["key": key], from: caller)
        #expect(try answer.get()["value"] == .null)
      }
      #expect(try await process.ask("documents.get", ["key": key]).get() == .null)
      #expect(try await process.ask("documents.loadById", ["id": key]).get() == .null)
    }
    #expect(try await process.ask("documents.list").get() == .array([]))
  }

  @Test("where nobody can be authenticated, nothing is stored guarded, and nothing guarded is read")
  func withoutReader() async throws {
    let folder = try TemporaryFolder()
    let finger = Finger()
    let process = Process(folder, finger)
    _ = try await process.ask("secureStorage.set", ["key": "k", "value": "s3cret", "requireBiometric": true]).get()
    finger.isPresent.withLock { $0 = false }
    finger.accepts.withLock { $0 = false }
    for process in [process, Process(folder, nil)] {
      let set = try await process.ask("secureStorage.set", ["key": "n", "value": "v", "requireBiometric": true])
      #expect(Self.code(set) == "NOT_CONFIGURED")
      #expect(try await process.value("n") == .null)
      #expect(Self.code(try await process.ask("secureStorage.get", ["key": "k"])) == "BIOMETRIC_FAILED")
      // An unguarded entry stays readable: the published client reads its key so.
      _ = try await process.ask("secureStorage.set", ["key": "self_private_key", "value": "00"]).get()
      let read = try await process.ask("secureStorage.get", ["key": "self_private_key", "requireBiometric": true])
      #expect(try read.get()["privateKey"] == "00")
    }
    // A replacement of a guarded entry needs a finger, too.
    let replacement = try await process.ask(
      "secureStorage.set", ["key": "k", "value": "new", "requireBiometric": true])
    #expect(Self.code(replacement) == "BIOMETRIC_FAILED")
    #expect(Self.code(try await process.ask("secureStorage.get", ["key": "k"])) == "BIOMETRIC_FAILED")
  }

  /// A storage in which another connection stores a guarded entry between the look at the guard and the read.
  private struct Racing: SecureStorageProvider {
    let storage: EncryptedStorageProvider
    func get(_ key: String, for caller: Caller) async throws -> String? {
      try await storage.setNeedsPresence(key, for: caller)
      try await storage.set(key, "s3cret", for: caller)
      return try await storage.get(key, for: caller)
    }
    func set(_ key: String, _ value: String, for caller: Caller) async throws {}
    func remove(_ key: String, for caller: Caller) async throws {}
    func clear(for caller: Caller) async throws {}
    func needsPresence(_ key: String, for caller: Caller) async throws -> Bool {
      try await storage.needsPresence(key, for: caller)
    }
    func setNeedsPresence(_ key: String, for caller: Caller) async throws {}
  }

  @Test("an entry that becomes guarded during the read requires a finger")
  func race() async throws {
    let folder = try TemporaryFolder()
    let finger = Finger(accepts: false)
    let process = Process(folder, finger)
    let storage = EncryptedStorageProvider(store: process.store)
    process.registry.register { $0.secureStorage = Racing(storage: storage) }
    let answer = try await process.ask("secureStorage.get", ["key": "k"])
    #expect(Self.code(answer) == "BIOMETRIC_FAILED" && finger.prompts.withLock { $0 } == 1)
  }

  @Test("a damaged guard never counts as none")
  func damaged() async throws {
    let folder = try TemporaryFolder()
    let finger = Finger()
    let process = Process(folder, finger)
    _ = try await process.ask("secureStorage.set", ["key": "k", "value": "s3cret", "requireBiometric": true]).get()
    let files = FileManager.default.enumerator(atPath: folder.file("storage"))?.allObjects as? [String] ?? []
    let guards = files.filter { $0.contains("/guards/") }
    #expect(guards.count == 1)
    for file in guards { try Data("x".utf8).write(to: URL(fileURLWithPath: folder.file("storage/\(file)"))) }
    let answer = try await Process(folder, finger).ask("secureStorage.get", ["key": "k"])
    #expect(Self.code(answer) == "INTERNAL_ERROR")
    #expect(!"\(answer)".contains("s3cret"))
  }

  @Test("the guards of an origin count against its quota, and only the user removes them")
  func onlyTheUserRemovesGuards() async throws {
    let folder = try TemporaryFolder()
    let finger = Finger()
    let process = Process(folder, finger)
    let limited = EncryptedStore(path: folder.file("storage"), limits: StorageLimits(entriesPerOwner: 4)) { nil }
    process.registry.register { $0.secureStorage = EncryptedStorageProvider(store: limited) }
    var codes: [String?] = []
    for key in 0..<3 {
      let set = try await process.ask(
        "secureStorage.set", ["key": .integer(Int64(key)), "value": "v", "requireBiometric": true])
      codes.append(Self.code(set))
    }
    #expect(codes == [nil, nil, "INTERNAL_ERROR"] || codes == [nil, nil, "STORAGE_FULL"])
    let owner = try #require(try await limited.owners().first)
    #expect((owner.secrets, owner.guards) == (2, 2))
    let name = try EntryName("0", in: .secureStorage, of: Self.page)
    #expect(try await limited.guardedNames(of: Self.page).names.compactMap(\.text).sorted() == ["0", "1"])
    #expect(try await limited.removeGuard(from: name))
    #expect(try await !limited.removeGuard(from: name))
    finger.accepts.withLock { $0 = false }
    #expect(try await process.value("0") == "v")
    #expect(Self.code(try await process.ask("secureStorage.get", ["key": 1])) == "BIOMETRIC_FAILED")
  }

  // MARK: - Keys

  private func sign(_ process: Process, _ key: String = "k") async throws -> Result<JSONValue, BridgeError> {
    try await process.ask("crypto.sign", ["keyRef": .string(key), "data": Self.message])
  }

  @Test("a guarded key signs with a finger; without a reader with the dialog, never with both")
  func keys() async throws {
    let folder = try TemporaryFolder()
    let (finger, dialog) = (Finger(), Dialog())
    let process = Process(folder, finger, dialog)
    _ = try await process.ask("crypto.generateKey", ["keyRef": "k", "requireBiometric": true]).get()
    _ = try await process.ask("crypto.generateKey", ["keyRef": "free"]).get()
    _ = try await sign(process).get()
    _ = try await sign(process, "free").get()
    #expect(finger.prompts.withLock { $0 } == 1 && dialog.prompts.withLock { $0 } == 0)
    finger.isPresent.withLock { $0 = false }
    _ = try await sign(process).get()
    #expect(finger.prompts.withLock { $0 } == 1 && dialog.prompts.withLock { $0 } == 1)
    // A refused finger is final: no dialog takes its place.
    finger.isPresent.withLock { $0 = true }
    finger.accepts.withLock { $0 = false }
    #expect(Self.code(try await sign(process)) == "SIGN_FAILED")
    #expect(dialog.prompts.withLock { $0 } == 1)
  }

  @Test("the error decides whether the dialog takes the place of the finger")
  func dialog() async throws {
    struct Failing: BiometricProvider {
      let error: any Error
      func isAvailable() async -> Bool { false }
      func getBiometryType() async -> String { "touchId" }
      func authenticate(reason: String, for caller: Caller) async throws { throw error }
    }
    let table: [(error: any Error, isAsked: Bool)] = [
      (FingerprintError.noReader, true), (FingerprintError.noEnrolledFinger, true),
      (FingerprintError.serviceUnavailable, true), (PresenceError.noPrompt, true), (PolkitError.noAgent, true),
      (PolkitError.unknownAction, true), (PolkitError.unavailable, true), (PolkitError.silent, false),
      (FingerprintError.readerInUse, false), (FingerprintError.readerFailed("x"), false),
      (FingerprintError.readerDisconnected, false), (FingerprintError.serviceSilent(method: "Claim"), false),
      (FingerprintError.serviceEnded, false), (FingerprintError.serviceFailed("x"), false),
      (FingerprintError.permissionDenied, false), (FingerprintError.noMatch, false), (FingerprintError.timedOut, false),
      (PresenceError.paused(seconds: 5), false), (PresenceError.anotherRequest, false),
      (PresenceError.hidden, false), (PresenceError.screenLocked, false), (PolkitError.refused, false),
      (PolkitError.asksNobody, false),
      (CancellationError(), false),
    ]
    for row in table {
      let dialog = Dialog()
      let prompting = FingerOrDialog(biometrics: Failing(error: row.error), dialog: dialog)
      if row.isAsked {
        #expect(try await prompting.confirm("t", reason: "r", for: Self.page) == true, "\(row.error)")
      } else {
        await #expect(throws: (any Error).self, "\(row.error)") {
          _ = try await prompting.confirm("t", reason: "r", for: Self.page)
        }
      }
      #expect(dialog.prompts.withLock { $0 } == (row.isAsked ? 1 : 0), "\(row.error)")
    }
  }

  @Test("only what the user did starts a pause of signatures")
  func signaturePauses() async throws {
    struct Failing: ConfirmationPrompting {
      let error: any Error
      func confirm(_ text: String) async throws -> Bool? { throw error }
    }
    let folder = try TemporaryFolder()
    let process = Process(folder, Finger())
    _ = try await process.ask("crypto.generateKey", ["keyRef": "k", "requireBiometric": true]).get()
    let keys = FileKeyStore(path: folder.file("keys"), newKeys: .unprotected, secrets: NonInteractive())
    let key = try await keys.key(try KeyName("k", owner: Self.page))
    let table: [(error: any Error, pauses: Bool)] = [
      (FingerprintError.readerInUse, false), (FingerprintError.serviceEnded, false),
      (FingerprintError.serviceSilent(method: "Claim"), false), (FingerprintError.readerFailed("x"), false),
      (PresenceError.noPrompt, false), (PresenceError.paused(seconds: 5), false),
      (PresenceError.anotherRequest, false), (PresenceError.screenLocked, false), (PresenceError.hidden, false),
      (FingerprintError.noMatch, true), (FingerprintError.timedOut, true), (PolkitError.refused, true),
      (CancellationError(), true),
    ]
    for row in table {
      let confirmation = SignatureConfirmation(prompting: Failing(error: row.error))
      for attempt in 0..<2 {
        await #expect("\(row.error), attempt \(attempt)") {
          try await confirmation.confirm(signingWith: key)
        } throws: { error in
          let isPause = if case KeyStoreError.confirmationPaused = error { true } else { false }
          return isPause == (row.pauses && attempt == 1)
        }
      }
    }
  }

  /// A store in which the page replaces the key by a guarded one while the signature of the unguarded one is requested.
  private struct ReplacingKeys: KeyStore {
    let store: FileKeyStore
    var designation: String { store.designation }
    func generate(_ name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool) async throws -> StoredKey {
      try await store.generate(name, confirmation: confirmation, replacing: replacing)
    }
    func keys() async throws -> [StoredKey] { try await store.keys() }
    func key(_ name: KeyName) async throws -> StoredKey { try await store.key(name) }
    func sign(digest: [UInt8], with name: KeyName) async throws -> P256Signature {
      _ = try await store.generate(name, confirmation: .always, replacing: true)
      return try await store.sign(digest: digest, with: name)
    }
    func delete(_ name: KeyName) async throws -> Bool { try await store.delete(name) }
  }

  @Test("a key that becomes guarded during the request signs nothing without a finger")
  func keyRace() async throws {
    let folder = try TemporaryFolder()
    let finger = Finger()
    let process = Process(folder, finger)
    _ = try await process.ask("crypto.generateKey", ["keyRef": "k"]).get()
    _ = try await sign(process).get()
    let keys = FileKeyStore(path: folder.file("keys"), newKeys: .unprotected, secrets: NonInteractive())
    process.registry.register { providers in
      providers.crypto = KeyStoreCryptoProvider(
        store: ReplacingKeys(store: keys), confirmations: SignatureConfirmation(prompting: Dialog()))
    }
    #expect(Self.code(try await sign(process)) == "SIGN_FAILED")
    #expect(finger.prompts.withLock { $0 } == 0)
  }

  @Test("a page cannot shed the policy of a key", arguments: [false, true])
  func sheddingKeys(_ inOtherProcess: Bool) async throws {
    let attempts: [[(String, JSONObject)]] = [
      [("crypto.generateKey", ["keyRef": "k"])],
      [("crypto.generateKey", ["keyRef": "k", "requireBiometric": false])],
      [("crypto.deleteKey", ["keyRef": "k"]), ("crypto.generateKey", ["keyRef": "k"])],
      [
        ("crypto.deleteKey", ["keyRef": "k"]), ("crypto.deleteKey", ["keyRef": "k"]),
        ("crypto.generateKey", ["keyRef": "k"]), ("crypto.generateKey", ["keyRef": "k"]),
      ],
    ]
    for steps in attempts {
      let folder = try TemporaryFolder()
      let (finger, dialog) = (Finger(), Dialog())
      let first = Process(folder, finger, dialog)
      _ = try await first.ask("crypto.generateKey", ["keyRef": "k", "requireBiometric": true]).get()
      let process = inOtherProcess ? Process(folder, finger, dialog) : first
      for (target, parameters) in steps { _ = try await process.ask(target, parameters).get() }
      finger.accepts.withLock { $0 = false }
      #expect(Self.code(try await sign(process)) == "SIGN_FAILED", "\(steps)")
      #expect(finger.prompts.withLock { $0 } == 1 && dialog.prompts.withLock { $0 } == 0)
      // Other spellings are other keys.
      for key in ["K", "k ", "k\u{301}"] { #expect(Self.code(try await sign(process, key)) == "KEY_NOT_FOUND") }
    }
  }

  @Test("a signature of a local program needs no finger: the policy of a key holds for web pages")
  func localPrograms() async throws {
    let folder = try TemporaryFolder()
    let finger = Finger(accepts: false)
    let process = Process(folder, finger)
    _ = try await process.ask(
      "crypto.generateKey", ["keyRef": "k", "requireBiometric": true], from: .local
    ).get()
    _ = try await process.ask("crypto.sign", ["keyRef": "k", "data": Self.message], from: .local).get()
    #expect(finger.prompts.withLock { $0 } == 0)
  }
}

extension RealPrograms {
  /// The same by the program, with the scripted reader.
  @Suite("Guards by the program", .serialized)
  struct GuardProgramTests {
    @Test("a guarded entry needs a finger in each process, until the user removes the guard")
    func program() async throws {
      let match = Array(repeating: "verify-match!", count: 2) + Array(repeating: "verify-no-match!", count: 9)
      let lab = try await FingerprintLab(
        .scripted(method: "", fault: "none", signals: match.joined(separator: ",")), .notifications)
      let folder = try TemporaryFolder()
      func tessera(_ arguments: String...) async throws -> ProgramRun {
        let variables = [
          "HOME": folder.url.path, "XDG_DATA_HOME": folder.file("data"), "XDG_CONFIG_HOME": folder.url.path,
        ]
        return try await lab.start(ProgramRun.tessera.path, arguments, variables).finish(within: 60)
      }
      let set = try await tessera(
        "call", "--in-process", "secureStorage.set", #"{"key": "k", "value": "s3cret", "requireBiometric": true}"#)
      #expect(set.status == 0, "\(set.errors)")
      let get = ["call", "--in-process", "secureStorage.get", #"{"key": "k"}"#]
      let read = try await tessera(get[0], get[1], get[2], get[3])
      #expect(read.output.contains("s3cret"), "\(read.errors)")
      _ = try await tessera("call", "--in-process", "secureStorage.clear")
      let again = try await tessera(
        "call", "--in-process", "secureStorage.set", #"{"key": "k", "value": "s3cret"}"#)
      #expect(again.status == 0, "\(again.errors)")
      #expect(try await tessera(get[0], get[1], get[2], get[3]).output.contains("s3cret"))
      // From now on the reader sees other fingers.
      let refused = try await tessera(get[0], get[1], get[2], get[3])
      #expect(refused.status != 0 && refused.errors.contains("BIOMETRIC_FAILED"), "\(refused.errors)")
      #expect(!(refused.output + refused.errors).contains("s3cret"))
      #expect(try await tessera("storage", "guards", "local").output == "k\n")
      // A name that a shell or a terminal would not take as it is: printed, and accepted, as a JSON string.
      let odd = try await tessera(
        "call", "--in-process", "secureStorage.set",
        #"{"key": "\u001b[2J\u202e\"é😀'; $(id)", "value": "v", "requireBiometric": true}"#)
      #expect(odd.status == 0, "\(odd.errors)")
      let quoted = #""\u001b[2J\u202e\"\u00e9\ud83d\ude00\u0027; $(id)""#
      let guards = try await tessera("storage", "guards", "local").output
      #expect(guards.split(separator: "\n").sorted() == ["'\(quoted)'", "k"])
      #expect(try await tessera("storage", "unguard", "local", String(quoted.dropLast())).status == 2)
      #expect(try await tessera("storage", "unguard", "local", quoted).status == 0)
      _ = try await tessera("call", "--in-process", "secureStorage.remove", #"{"key": "\u001b[2J\u202e\"é😀'; $(id)"}"#)
      #expect(try await tessera("storage", "list").output.contains("1 secrets, 0 documents"))
      #expect(try await tessera("storage", "list").output.contains("1 guarded"))
      #expect(try await tessera("storage", "unguard", "local", "other").status == 2)
      #expect(try await tessera("storage", "unguard", "local", "k").status == 0)
      #expect(try await tessera(get[0], get[1], get[2], get[3]).output.contains("s3cret"))
      #expect(try await tessera("storage", "guards", "local").output == "")
    }
  }
}
