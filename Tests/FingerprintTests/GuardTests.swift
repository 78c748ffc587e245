import Foundation
import TesseraBridge
import TesseraCore
import TesseraCryptography
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraEncryptedStorage
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
        let person: any ConfirmationPrompting = finger.map { FingerOrDialog(biometrics: $0, dialog: dialog) } ?? dialog
        providers.crypto = KeyStoreCryptoProvider(
          store: keys, confirmations: SignatureConfirmation(prompting: person))
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
      [("secureStorage.set", ["key": "k", "value": "2"])],
      [("secureStorage.set", ["key": "k", "value": "3", "requireBiometric": false])],
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
    // A replacement of a guarded entry needs no finger, and stays guarded.
    let replacement = try await process.ask(
      "secureStorage.set", ["key": "k", "value": "new", "requireBiometric": true])
    #expect(try replacement.get() == .null)
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

  @Test("the guards of an origin count against its quota, and only the person removes them")
  func person() async throws {
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

  @Test("a key that is guarded before its signature is used needs a finger, and local programs need none")
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

extension Fingerprints {
  /// The same by the program, with the scripted reader.
  @Suite("Guards by the program", .serialized)
  struct GuardProgramTests {
    @Test("a guarded entry needs a finger in each process, until the person removes the guard")
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
      #expect(try await tessera("storage", "list").output.contains("1 secrets, 0 documents"))
      #expect(try await tessera("storage", "list").output.contains("1 guarded"))
      #expect(try await tessera("storage", "unguard", "local", "other").status == 2)
      #expect(try await tessera("storage", "unguard", "local", "k").status == 0)
      #expect(try await tessera(get[0], get[1], get[2], get[3]).output.contains("s3cret"))
      #expect(try await tessera("storage", "guards", "local").output == "")
    }
  }
}
