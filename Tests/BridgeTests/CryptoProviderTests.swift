import Bridge
import Cryptography
import Failures
import Foundation
import LinuxProviders
import Synchronization
import Tessera
import TestSupport
import Testing
import Threads
import TrustedPlatform

@testable import KeyStores

@Suite("Keys through the bridge")
struct CryptoProviderTests {
  let folder: TemporaryFolder
  let store: FileKeyStore

  init() throws {
    folder = try TemporaryFolder()
    store = FileKeyStore(path: folder.url.path, newKeys: .unprotected, secrets: NobodyToAsk(), keysPerOrigin: 8)
  }

  /// One call, answered by its data or its error's code.
  func call(
    _ method: String, _ parameters: JSONObject, from caller: BridgeCaller = .local,
    person: Person = Person(nil)
  ) async throws -> Result<JSONValue, BridgeError> {
    try await call(method, parameters, from: caller, ConfirmationDesk(asking: person))
  }

  func call(
    _ method: String, _ parameters: JSONObject, from caller: BridgeCaller, _ desk: ConfirmationDesk
  ) async throws -> Result<JSONValue, BridgeError> {
    let registry = SdkProviderRegistry()
    registry.register { $0.crypto = KeyStoreCryptoProvider(store: store, confirmations: desk) }
    let answer = Mutex<Result<JSONValue, BridgeError>?>(nil)
    await MessageRouter(handlers: [CryptoBridgeHandler(registry: registry)]).route(
      BridgeRequest(
        id: "1", domain: .crypto, method: method, parameters: BridgeParameters(parameters), caller: caller)
    ) { message in
      if case .response(_, _, let outcome) = message { answer.withLock { $0 = outcome } }
    }
    return try #require(answer.withLock { $0 })
  }

  /// A person who answers every question alike, and counts them.
  final class Person: ConfirmationAsking {
    let answer: Bool?
    let questions = Mutex<[String]>([])
    init(_ answer: Bool?) { self.answer = answer }
    func confirm(_ text: String) async throws -> Bool? {
      questions.withLock { $0.append(text) }
      return answer
    }
  }

  static let message: JSONValue = .string(Data("attack at dawn".utf8).base64EncodedString())

  @Test("the dossier's round trip; a key outlives the process that made it")
  func roundTrip() async throws {
    #expect(try await call("generateKey", ["keyRef": "r"]).get()["success"] == true)
    let point = try await call("getPublicKey", ["keyRef": "r"]).get()["publicKey"]?.stringValue
    let signature = try await call("sign", ["keyRef": "r", "data": Self.message]).get()["signature"]?.stringValue
    let key = try P256PublicKey(point: Data(base64Encoded: point ?? "") ?? Data())
    let parsed = try P256Signature(der: Data(base64Encoded: signature ?? "") ?? Data())
    let digest = try HashAlgorithm.sha256.digest(of: Array("attack at dawn".utf8))
    #expect(try key.verify(parsed, digest: digest))
    let spki = try await call("getPublicKey", ["keyRef": "r", "format": "spki"]).get()["publicKey"]?.stringValue
    #expect(Data(base64Encoded: spki ?? "").map(Array.init) == key.subjectPublicKeyInfo)
    // Another store over the same folder is what the next process has.
    let next = FileKeyStore(path: folder.url.path, newKeys: .unprotected, secrets: NobodyToAsk())
    #expect(try await next.key(KeyName("r")).publicKey == key)
    #expect(try await call("deleteKey", ["keyRef": "r"]).get() == .null)
    #expect(try await call("getPublicKey", ["keyRef": "r"]).code == "KEY_NOT_FOUND")
  }

  @Test("each origin has names of its own")
  func origins() async throws {
    let first = BridgeCaller.web(origin: "https://one.example")
    let second = BridgeCaller.web(origin: "https://two.example")
    for caller in [.local, first, second] { _ = try await call("generateKey", ["keyRef": "k"], from: caller).get() }
    var keys: Set<String> = []
    for caller in [.local, first, second] {
      let key = try await call("getPublicKey", ["keyRef": "k"], from: caller).get()["publicKey"]?.stringValue
      keys.insert(key ?? "")
    }
    #expect(keys.count == 3)
    _ = try await call("deleteKey", ["keyRef": "k"], from: second).get()
    #expect(try await call("sign", ["keyRef": "k", "data": Self.message], from: second).code == "KEY_NOT_FOUND")
    _ = try await call("sign", ["keyRef": "k", "data": Self.message], from: first).get()
    // Names that would lead out of the folder, or into another origin's, are names like others.
    for name in ["../../local/k", "https://one.example/k", "..", "a/b\u{0}c", "%2e%2e"] {
      #expect(
        try await call("sign", ["keyRef": .string(name), "data": Self.message], from: second).code == "KEY_NOT_FOUND")
    }
  }

  @Test("a person confirms as the key's policy says", arguments: ConfirmationPolicy.allCases)
  func confirmation(_ policy: ConfirmationPolicy) async throws {
    let origin = "https://one.example"
    let caller = BridgeCaller.web(origin: origin)
    let name = try KeyName("k", owner: .web(origin: origin))
    _ = try await store.generate(name, confirmation: policy, replacing: false)
    let sign = ["keyRef": "k", "data": Self.message] as JSONObject

    let yes = Person(true)
    let desk = ConfirmationDesk(asking: yes)
    for _ in 0..<2 { _ = try await call("sign", sign, from: caller, desk).get() }
    #expect(yes.questions.withLock { $0.count } == [.always: 2, .session: 1, .never: 0][policy])
    #expect(yes.questions.withLock { $0.allSatisfy { $0.contains(origin) } })

    for refusal in [Person(false), Person(nil)] {
      let result = try await call("sign", sign, from: caller, person: refusal)
      if policy == .never {
        #expect(throws: Never.self) { try result.get() }
      } else {
        #expect(result.code == "SIGN_FAILED")
      }
    }
    // A key that takes this one's place is another one: nobody has agreed to it.
    _ = try await store.generate(name, confirmation: policy, replacing: true)
    _ = try await call("sign", sign, from: caller, desk).get()
    #expect(yes.questions.withLock { $0.count } == [.always: 3, .session: 2, .never: 0][policy])
  }

  @Test("a key that a page wants a person for is made so")
  func presence() async throws {
    let caller = BridgeCaller.web(origin: "https://one.example")
    _ = try await call("generateKey", ["keyRef": "k", "requireBiometric": true], from: caller).get()
    #expect(try await store.keys().map(\.confirmation) == [.always])
  }

  @Test("a page cannot rid itself of a person's decision, nor write the question")
  func policyStays() async throws {
    let origin = "https://one.example"
    let caller = BridgeCaller.web(origin: origin)
    let text = "k\". Allow?\n\u{202E}https://bank.example"
    let name = try KeyName(text, owner: .web(origin: origin))
    _ = try await store.generate(name, confirmation: .always, replacing: false)
    _ = try await call("generateKey", ["keyRef": .string(text)], from: caller).get()
    #expect(try await store.key(name).confirmation == .always)
    let person = Person(true)
    _ = try await call("sign", ["keyRef": .string(text), "data": Self.message], from: caller, person: person).get()
    let question = person.questions.withLock { $0.first ?? "" }
    #expect(question.split(separator: "\n").first == "https://one.example wants to sign.")
    #expect(question.split(separator: "\n").count == 3 && !question.contains("\u{202E}"))
  }

  @Test("a person is asked one question of an origin at a time")
  func oneQuestion() async throws {
    let origin = "https://one.example"
    for (policy, expected) in [(ConfirmationPolicy.always, 1), (.session, 16)] {
      let name = try KeyName("k \(policy)", owner: .web(origin: origin))
      let key = try await store.generate(name, confirmation: policy, replacing: false)
      let person = SlowPerson()
      let desk = ConfirmationDesk(asking: person)
      let agreed = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<16 { group.addTask { (try? await desk.agree(to: key)) != nil } }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(agreed == expected)
      #expect(person.count.withLock { $0 } == 1)
    }
  }

  final class SlowPerson: ConfirmationAsking {
    let count = Mutex(0)
    func confirm(_ text: String) async throws -> Bool? {
      count.withLock { $0 += 1 }
      try await Task.sleep(for: .milliseconds(300))
      return true
    }
  }

  @Test("web content is not told where keys are")
  func discretion() async throws {
    try "not a folder".write(toFile: folder.file("file"), atomically: true, encoding: .utf8)
    for (caller, tells) in [(BridgeCaller.local, true), (.web(origin: "https://one.example"), false)] {
      for method in ["generateKey", "getPublicKey", "sign", "deleteKey"] {
        let result = try await call(method, ["keyRef": "k", "data": Self.message], from: caller)
        guard case .failure(let error) = result else {
          Issue.record("\(method) succeeded")
          continue
        }
        #expect(error.code == (method == "sign" ? "SIGN_FAILED" : "INTERNAL_ERROR"))
        #expect(error.message.contains(folder.url.path) == tells)
      }
    }
  }

  @Test("a token that does not answer holds up nothing but itself", .enabled(if: TPMLab.isWanted))
  func slowToken() async throws {
    let tpm = try await TPMLab()
    let slow = TPMKeyStore(
      path: folder.url.path, newKeysHavePIN: false, secrets: NobodyToAsk(),
      module: TrustedPlatformModule(interface: tpm.interface))
    _ = try await slow.generate(KeyName("k"), confirmation: .never, replacing: false)
    let router = Tessera.configure(cards: .virtual(.bac, try SpecimenDocument().files), keys: slow)
    func answer(_ domain: BridgeDomain, _ method: String, _ parameters: JSONObject) async -> JSONValue? {
      let answer = Mutex<JSONValue?>(nil)
      await router.route(
        BridgeRequest(id: "1", domain: domain, method: method, parameters: BridgeParameters(parameters))
      ) { message in
        if case .response(_, _, .success(let data)) = message { answer.withLock { $0 = data } }
      }
      return answer.withLock { $0 }
    }
    tpm.pause()
    let signed = Locked(0)
    let waiting = (0..<8).map { _ in
      Task {
        let data = await answer(.crypto, "sign", ["keyRef": "k", "data": Self.message])
        signed.withLock { $0 += 1 }
        return data
      }
    }
    try await Task.sleep(for: .milliseconds(100))
    #expect(await answer(.nfc, "isSupported", [:]) == true)
    let scan = await answer(
      .nfc, "scan", ["passportNumber": "TS0264718", "dateOfBirth": "900214", "dateOfExpiry": "350630"])
    #expect(scan?["success"] != nil || scan?["mrz"] != nil, "\(String(describing: scan))")
    // Nothing of the TPM had come by then.
    #expect(signed.withLock { $0 } == 0)
    tpm.resume()
    for task in waiting { #expect(await task.value?["signature"] != nil) }
  }

  @Test("bad parameters are told apart")
  func parameters() async throws {
    let cases: [(String, JSONObject, String)] = [
      ("generateKey", ["keyRef": ""], "MISSING_KEY_REF"), ("sign", ["keyRef": "k", "data": "a b"], "INVALID_DATA"),
      ("sign", ["keyRef": "k", "data": nil], "MISSING_DATA"),
      ("getPublicKey", ["keyRef": "k", "format": "x"], "INVALID_PARAMS"),
      ("generateKey", ["keyRef": .string(String(repeating: "k", count: 300))], "INVALID_PARAMS"),
      ("generateKey", ["keyRef": ["k"]], "INTERNAL_ERROR"), ("listKeys", [:], "METHOD_NOT_FOUND"),
    ]
    for (method, parameters, code) in cases {
      #expect(try await call(method, parameters).code == code, "\(method) \(parameters)")
    }
  }

  @Test("a page that deletes a key and makes it again finds its policy there, until the person changes it")
  func policyOutlivesKey() async throws {
    let origin = "https://one.example"
    let caller = BridgeCaller.web(origin: origin)
    for byPerson in [true, false] {
      let name = try KeyName(byPerson ? "k" : "l", owner: .web(origin: origin))
      let key: JSONObject = ["keyRef": .string(name.name)]
      let sign: JSONObject = ["keyRef": .string(name.name), "data": Self.message]
      if byPerson {
        _ = try await store.generate(name, confirmation: .always, replacing: false)
      } else {
        _ = try await call("generateKey", ["keyRef": .string(name.name), "requireBiometric": true], from: caller).get()
      }
      for _ in 0..<2 {
        _ = try await call("deleteKey", key, from: caller).get()
        _ = try await call("generateKey", key, from: caller).get()
        let person = Person(true)
        _ = try await call("sign", sign, from: caller, person: person).get()
        #expect(person.questions.withLock { $0.count } == 1)
      }
      try ConfirmationPolicies(path: folder.url.path).set(.never, of: name)
      let person = Person(true)
      _ = try await call("sign", sign, from: caller, person: person).get()
      #expect(person.questions.withLock { $0.isEmpty })
    }
  }

  /// A time that passes when the test says so.
  final class Hands: Sendable {
    let now = Mutex(ContinuousClock.now)
    func pass(_ seconds: Int) { now.withLock { $0 += .seconds(seconds) } }
  }

  @Test("after a refusal a page waits, each time twice as long, and is told how long")
  func pause() async throws {
    let hands = Hands()
    let answer = Mutex<Bool?>(false)
    let person = Asked { answer.withLock { $0 } }
    let desk = ConfirmationDesk(asking: person) { hands.now.withLock { $0 } }
    let (one, two) = (BridgeCaller.web(origin: "https://one.example"), BridgeCaller.web(origin: "https://two.example"))
    for caller in [one, two] {
      for key in ["k", "l"] {
        _ = try await call("generateKey", ["keyRef": .string(key), "requireBiometric": true], from: caller).get()
      }
    }
    func sign(_ key: String, _ caller: BridgeCaller) async throws -> Result<JSONValue, BridgeError> {
      try await call("sign", ["keyRef": .string(key), "data": Self.message], from: caller, desk)
    }
    func pause(_ result: Result<JSONValue, BridgeError>) -> JSONValue? {
      guard case .failure(let error) = result, error.code == "SIGN_FAILED" else { return nil }
      return error.details?["retryAfter"]
    }
    var questions = 0
    for seconds in [5, 10, 20, 40, 80, 160, 320, 600, 600] {
      #expect(try await sign("k", one).code == "SIGN_FAILED")
      questions += 1
      for _ in 0..<100 { #expect(pause(try await sign("l", one)) == .integer(Int64(seconds))) }
      hands.pass(seconds - 1)
      #expect(pause(try await sign("k", one)) == 1)
      hands.pass(1)
      #expect(person.count.withLock { $0 } == questions)
    }
    // Another origin's questions are asked all the while, and a yes ends the waiting.
    answer.withLock { $0 = true }
    for _ in 0..<2 {
      _ = try await sign("k", two).get()
      _ = try await sign("k", one).get()
    }
    answer.withLock { $0 = false }
    _ = try await sign("k", one)
    #expect(pause(try await sign("k", one)) == 5)
    hands.pass(5)
    // Where there is nobody to ask, nobody is disturbed.
    answer.withLock { $0 = nil }
    for _ in 0..<2 { #expect(pause(try await sign("k", one)) == nil) }
  }

  @Test("a page that takes its question back waits, too")
  func withdrawn() async throws {
    let origin = "https://one.example"
    let key = try await store.generate(
      KeyName("k", owner: .web(origin: origin)), confirmation: .always, replacing: false)
    let person = SlowPerson()
    let hands = Hands()
    let desk = ConfirmationDesk(asking: person) { hands.now.withLock { $0 } }
    let asking = Task { try await desk.agree(to: key) }
    while person.count.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    asking.cancel()
    await #expect(throws: CancellationError.self) { try await asking.value }
    for _ in 0..<50 {
      await #expect(throws: KeyStoreError.confirmationPaused(seconds: 5)) { try await desk.agree(to: key) }
    }
    #expect(person.count.withLock { $0 } == 1)
  }

  @Test("a passphrase that was refused is not asked for again at once")
  func refusedSecret() async throws {
    let secrets = Refusing()
    let closed = FileKeyStore(path: folder.url.path, newKeys: .passphrase, secrets: secrets, secretService: { nil })
    let caller = BridgeCaller.web(origin: "https://one.example")
    _ = try await closed.generate(
      KeyName("k", owner: .web(origin: "https://one.example")), confirmation: .never, replacing: false)
    let hands = Hands()
    let provider = KeyStoreCryptoProvider(
      store: closed, confirmations: ConfirmationDesk(asking: Person(nil)) { hands.now.withLock { $0 } })
    for turn in 1...3 {
      await #expect(throws: KeyStoreError.secretRefused(.passphrase(key: "k"))) {
        try await provider.sign("k", "AAAA", for: caller)
      }
      for _ in 0..<20 {
        await #expect(throws: KeyStoreError.self) { try await provider.sign("k", "AAAA", for: caller) }
        await #expect(throws: KeyStoreError.self) {
          try await provider.generateKey("l", needsPresence: false, for: caller)
        }
      }
      #expect(secrets.count.withLock { $0 } == turn)
      hands.pass(3600)
    }
  }

  @Test("of many signatures at once, the first refusal is the last question")
  func refusedSecretOfMany() async throws {
    let secrets = Refusing(after: .milliseconds(100))
    let closed = FileKeyStore(path: folder.url.path, newKeys: .passphrase, secrets: secrets, secretService: { nil })
    let origin = "https://one.example"
    for index in 1...8 {
      let name = try KeyName("k\(index)", owner: .web(origin: origin))
      _ = try await closed.generate(name, confirmation: .never, replacing: false)
    }
    let hands = Hands()
    let provider = KeyStoreCryptoProvider(
      store: closed, confirmations: ConfirmationDesk(asking: Person(nil)) { hands.now.withLock { $0 } })
    let errors = await withTaskGroup { group in
      for index in 1...8 {
        group.addTask {
          do {
            _ = try await provider.sign("k\(index)", "AAAA", for: .web(origin: origin))
            return nil as KeyStoreError?
          } catch {
            return error as? KeyStoreError
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(secrets.count.withLock { $0 } == 1)
    #expect(errors.count { $0 == .confirmationPaused(seconds: 5) } == 7, "\(errors)")
  }

  final class Asked: ConfirmationAsking {
    let count = Mutex(0)
    private let answer: @Sendable () -> Bool?
    init(_ answer: @escaping @Sendable () -> Bool?) { self.answer = answer }
    func confirm(_ text: String) async throws -> Bool? {
      count.withLock { $0 += 1 }
      return answer()
    }
  }

  /// Gives a passphrase to a new key, and none to an old one.
  final class Refusing: SecretAsking {
    let count = Mutex(0)
    private let time: Duration
    init(after time: Duration = .zero) { self.time = time }
    func ask(_ question: SecretQuestion, hint: String?) async throws -> SecretBytes? {
      guard !question.isNew else { return SecretBytes([1, 2, 3]) }
      count.withLock { $0 += 1 }
      try await Task.sleep(for: time)
      throw KeyStoreError.secretRefused(question)
    }
  }

  @Test("a page that has all the keys it can have is told so, and nothing of the folder")
  func quota() async throws {
    let caller = BridgeCaller.web(origin: "https://one.example")
    for index in 0..<8 { _ = try await call("generateKey", ["keyRef": .string("k\(index)")], from: caller).get() }
    guard case .failure(let error) = try await call("generateKey", ["keyRef": "k8"], from: caller) else {
      Issue.record("a ninth key was made")
      return
    }
    #expect(error.code == "STORAGE_FULL" && error.message.contains("no room") && !error.message.contains("/"))
    _ = try await call("generateKey", ["keyRef": "k7"], from: caller).get()
    _ = try await call("deleteKey", ["keyRef": "k7"], from: caller).get()
    _ = try await call("generateKey", ["keyRef": "k8"], from: caller).get()
    for index in 0..<9 { _ = try await call("generateKey", ["keyRef": .string("k\(index)")]).get() }
  }

  @Test(
    "a signature with an unknown key says that there is none",
    arguments: [BridgeCaller.local, .web(origin: "https://one.example")])
  func unknownKey(_ caller: BridgeCaller) async throws {
    let result = try await call("sign", ["keyRef": "k", "data": Self.message], from: caller)
    guard case .failure(let error) = result else {
      Issue.record("there was one")
      return
    }
    #expect(error.code == "KEY_NOT_FOUND" && error.message.hasPrefix("There is no key"), "\(error.message)")
  }
}

extension Result<JSONValue, BridgeError> {
  /// The error's code; nil for a success.
  fileprivate var code: String? {
    guard case .failure(let error) = self else { return nil }
    return error.code
  }
}
