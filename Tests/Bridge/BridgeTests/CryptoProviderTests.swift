import Foundation
import Synchronization
import TesseraBridge
import TesseraCore
import TesseraCryptography
import TesseraJSON
import TesseraLinuxProviders
import TesseraTPM
import TesseraThreads
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraKeys

extension RealPrograms {
  @Suite("Keys of the bridge")
  struct CryptoProviderTests {
    let folder: TemporaryFolder
    let store: FileKeyStore

    init() throws {
      folder = try TemporaryFolder()
      store = FileKeyStore(path: folder.url.path, newKeys: .unprotected, secrets: NonInteractive(), keysPerOrigin: 8)
    }

    /// Sends one request and returns the outcome of its response.
    func call(
      _ method: String, _ parameters: JSONObject, from caller: Caller = .local,
      prompt: RecordingPrompt = RecordingPrompt(nil)
    ) async throws -> Result<JSONValue, BridgeError> {
      try await call(method, parameters, from: caller, SignatureConfirmation(prompting: prompt))
    }

    func call(
      _ method: String, _ parameters: JSONObject, from caller: Caller, _ confirmation: SignatureConfirmation
    ) async throws -> Result<JSONValue, BridgeError> {
      let registry = SdkProviderRegistry()
      registry.register { $0.crypto = KeyStoreCryptoProvider(store: store, confirmations: confirmation) }
      let answer = Mutex<Result<JSONValue, BridgeError>?>(nil)
      await MessageRouter(handlers: [CryptoBridgeHandler(registry: registry)]).route(
        BridgeRequest(
          id: "1", domain: .crypto, method: method, parameters: BridgeParameters(parameters), caller: caller)
      ) { message in
        if case .response(_, _, let outcome) = message { answer.withLock { $0 = outcome } }
      }
      return try #require(answer.withLock { $0 })
    }

    /// A confirmation prompt with a fixed answer, which records its texts.
    final class RecordingPrompt: ConfirmationPrompting {
      let answer: Bool?
      let questions = Mutex<[String]>([])
      init(_ answer: Bool?) { self.answer = answer }
      func confirm(_ text: String) async throws -> Bool? {
        questions.withLock { $0.append(text) }
        return answer
      }
    }

    static let message: JSONValue = .string(Data("attack at dawn".utf8).base64EncodedString())

    @Test("generates, reads, uses and deletes a key, which another process can use")
    func roundTrip() async throws {
      #expect(try await call("generateKey", ["keyRef": "r"]).get()["success"] == true)
      let point = try await call("getPublicKey", ["keyRef": "r"]).get()["publicKey"]?.stringValue
      let signature = try await call("sign", ["keyRef": "r", "data": Self.message]).get()["signature"]?.stringValue
      let key = try P256PublicKey(point: Data(base64Encoded: point ?? "") ?? Data())
      let parsed = try P256Signature(der: Data(base64Encoded: signature ?? "") ?? Data())
      let digest = try HashAlgorithm.sha256.digest(of: Array("attack at dawn".utf8))
      #expect(try key.verify(parsed, digest: digest))
      for (format, isRaw) in [("der", false), ("p1363", true)] {
        let answer = try await call("sign", ["keyRef": "r", "data": Self.message, "format": .string(format)]).get()
        let bytes = Array(Data(base64Encoded: answer["signature"]?.stringValue ?? "") ?? Data())
        let signature = isRaw ? try P256Signature(raw: bytes) : try P256Signature(der: bytes)
        #expect(try key.verify(signature, digest: digest), "\(format)")
      }
      #expect(try await call("sign", ["keyRef": "r", "data": Self.message, "format": "raw"]).code == "INVALID_PARAMS")
      let spki = try await call("getPublicKey", ["keyRef": "r", "format": "spki"]).get()["publicKey"]?.stringValue
      #expect(Data(base64Encoded: spki ?? "").map(Array.init) == key.subjectPublicKeyInfo)
      // Another store on the same folder, like that of another process.
      let next = FileKeyStore(path: folder.url.path, newKeys: .unprotected, secrets: NonInteractive())
      #expect(try await next.key(KeyName("r")).publicKey == key)
      #expect(try await call("deleteKey", ["keyRef": "r"]).get() == .null)
      #expect(try await call("getPublicKey", ["keyRef": "r"]).code == "KEY_NOT_FOUND")
    }

    @Test("each origin has its own keys")
    func origins() async throws {
      let first = Caller.web(origin: "https://one.example")
      let second = Caller.web(origin: "https://two.example")
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
      // Names with path separators stay in the folder of their origin.
      for name in ["../../local/k", "https://one.example/k", "..", "a/b\u{0}c", "%2e%2e"] {
        #expect(
          try await call("sign", ["keyRef": .string(name), "data": Self.message], from: second).code == "KEY_NOT_FOUND")
      }
    }

    @Test("prompts the user as the policy of the key requires", arguments: ConfirmationPolicy.allCases)
    func confirmation(_ policy: ConfirmationPolicy) async throws {
      let origin = "https://one.example"
      let caller = Caller.web(origin: origin)
      let name = try KeyName("k", owner: .web(origin: origin))
      _ = try await store.generate(name, confirmation: policy, replacing: false)
      let sign = ["keyRef": "k", "data": Self.message] as JSONObject

      let yes = RecordingPrompt(true)
      let confirmation = SignatureConfirmation(prompting: yes)
      for _ in 0..<2 { _ = try await call("sign", sign, from: caller, confirmation).get() }
      #expect(yes.questions.withLock { $0.count } == [.always: 2, .session: 1, .never: 0][policy])
      #expect(yes.questions.withLock { $0.allSatisfy { $0.contains(origin) } })

      for refusal in [RecordingPrompt(false), RecordingPrompt(nil)] {
        let result = try await call("sign", sign, from: caller, prompt: refusal)
        if policy == .never {
          #expect(throws: Never.self) { try result.get() }
        } else {
          #expect(result.code == "SIGN_FAILED")
        }
      }
      // A confirmation does not apply to a key that replaces the confirmed one.
      _ = try await store.generate(name, confirmation: policy, replacing: true)
      _ = try await call("sign", sign, from: caller, confirmation).get()
      #expect(yes.questions.withLock { $0.count } == [.always: 3, .session: 2, .never: 0][policy])
    }

    @Test("requireBiometric generates a key that needs confirmation")
    func presence() async throws {
      let caller = Caller.web(origin: "https://one.example")
      _ = try await call("generateKey", ["keyRef": "k", "requireBiometric": true], from: caller).get()
      #expect(try await store.keys().map(\.confirmation) == [.always])
    }

    @Test("a page can neither remove the policy of a key nor forge the prompt")
    func policyStays() async throws {
      let origin = "https://one.example"
      let caller = Caller.web(origin: origin)
      let text = "k\". Allow?\n\u{202E}https://bank.example"
      let name = try KeyName(text, owner: .web(origin: origin))
      _ = try await store.generate(name, confirmation: .always, replacing: false)
      _ = try await call("generateKey", ["keyRef": .string(text)], from: caller).get()
      #expect(try await store.key(name).confirmation == .always)
      let prompt = RecordingPrompt(true)
      _ = try await call("sign", ["keyRef": .string(text), "data": Self.message], from: caller, prompt: prompt).get()
      let question = prompt.questions.withLock { $0.first ?? "" }
      #expect(question.split(separator: "\n").first == "https://one.example wants to sign.")
      #expect(question.split(separator: "\n").count == 3 && !question.contains("\u{202E}"))
    }

    @Test("prompts the user once at a time for each origin")
    func oneQuestion() async throws {
      let origin = "https://one.example"
      for (policy, expected) in [(ConfirmationPolicy.always, 1), (.session, 16)] {
        let name = try KeyName("k \(policy)", owner: .web(origin: origin))
        let key = try await store.generate(name, confirmation: policy, replacing: false)
        let (begun, refused) = (Locked(0), Locked(0))
        // While the user is asked once, the requests that cannot share the answer are refused.
        let prompt = SlowPrompt { policy == .always ? refused.withLock { $0 == 15 } : begun.withLock { $0 == 16 } }
        let confirmation = SignatureConfirmation(prompting: prompt)
        let agreed = await withTaskGroup(of: Bool.self) { group in
          for _ in 0..<16 {
            group.addTask {
              begun.withLock { $0 += 1 }
              if (try? await confirmation.confirm(signingWith: key)) != nil { return true }
              refused.withLock { $0 += 1 }
              return false
            }
          }
          return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(agreed == expected)
        #expect(prompt.count.withLock { $0 } == 1)
      }
    }

    @Test("a confirmation for the session is asked for once, even if requests arrive while it is given")
    func oneQuestionOfASession() async throws {
      let name = try KeyName("k", owner: .web(origin: "https://one.example"))
      let key = try await store.generate(name, confirmation: .session, replacing: false)
      // The race is a matter of microseconds, so there are many sessions.
      for _ in 0..<500 {
        let prompt = SlowPrompt { true }
        let confirmation = SignatureConfirmation(prompting: prompt)
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<16 { group.addTask { try? await confirmation.confirm(signingWith: key) } }
        }
        #expect(prompt.count.withLock { $0 } == 1)
      }
    }

    /// A user who agrees when the test lets it.
    final class SlowPrompt: ConfirmationPrompting {
      let count = Mutex(0)
      private let mayAnswer: @Sendable () -> Bool
      init(until mayAnswer: @escaping @Sendable () -> Bool) { self.mayAnswer = mayAnswer }
      func confirm(_ text: String) async throws -> Bool? {
        count.withLock { $0 += 1 }
        try await eventually { mayAnswer() }
        return true
      }
    }

    @Test("errors for web content hide the folder of keys")
    func discretion() async throws {
      try "not a folder".write(toFile: folder.file("file"), atomically: true, encoding: .utf8)
      for (caller, showsPath) in [(Caller.local, true), (.web(origin: "https://one.example"), false)] {
        for method in ["generateKey", "getPublicKey", "sign", "deleteKey"] {
          let result = try await call(method, ["keyRef": "k", "data": Self.message], from: caller)
          guard case .failure(let error) = result else {
            Issue.record("\(method) succeeded")
            continue
          }
          #expect(error.code == (method == "sign" ? "SIGN_FAILED" : "INTERNAL_ERROR"))
          #expect(error.message.contains(folder.url.path) == showsPath)
        }
      }
    }

    @Test("a token that does not respond does not block other domains", .enabled(if: TPMLab.isEnabled))
    func slowToken() async throws {
      let tpm = try await TPMLab()
      let slow = TPMKeyStore(
        path: folder.url.path, newKeysHavePIN: false, secrets: NonInteractive(),
        module: TrustedPlatformModule(interface: tpm.interface))
      _ = try await slow.generate(KeyName("k"), confirmation: .never, replacing: false)
      let router = MessageRouter.withSystemProviders(cards: .virtual(.bac, try SpecimenDocument().files), keys: slow)
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
      // No signature of the TPM is complete yet.
      #expect(signed.withLock { $0 } == 0)
      tpm.resume()
      for task in waiting { #expect(await task.value?["signature"] != nil) }
    }

    @Test("invalid parameters have their own error codes")
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

    @Test("the policy of a key survives its deletion by a page, until the user changes it")
    func policyOutlivesKey() async throws {
      let origin = "https://one.example"
      let caller = Caller.web(origin: origin)
      for byUser in [true, false] {
        let name = try KeyName(byUser ? "k" : "l", owner: .web(origin: origin))
        let key: JSONObject = ["keyRef": .string(name.name)]
        let sign: JSONObject = ["keyRef": .string(name.name), "data": Self.message]
        if byUser {
          _ = try await store.generate(name, confirmation: .always, replacing: false)
        } else {
          _ = try await call("generateKey", ["keyRef": .string(name.name), "requireBiometric": true], from: caller)
            .get()
        }
        for _ in 0..<2 {
          _ = try await call("deleteKey", key, from: caller).get()
          _ = try await call("generateKey", key, from: caller).get()
          let prompt = RecordingPrompt(true)
          _ = try await call("sign", sign, from: caller, prompt: prompt).get()
          #expect(prompt.questions.withLock { $0.count } == 1)
        }
        try ConfirmationPolicies(path: folder.url.path).set(.never, of: name)
        let prompt = RecordingPrompt(true)
        _ = try await call("sign", sign, from: caller, prompt: prompt).get()
        #expect(prompt.questions.withLock { $0.isEmpty })
      }
    }

    /// A clock that the test advances.
    final class Hands: Sendable {
      let now = Mutex(ContinuousClock.now)
      func pass(_ seconds: Int) { now.withLock { $0 += .seconds(seconds) } }
    }

    @Test("after each refusal a page must wait twice as long, and receives the time")
    func pause() async throws {
      let hands = Hands()
      let answer = Mutex<Bool?>(false)
      let prompt = Asked { answer.withLock { $0 } }
      let confirmation = SignatureConfirmation(prompting: prompt) { hands.now.withLock { $0 } }
      let (one, two) = (Caller.web(origin: "https://one.example"), Caller.web(origin: "https://two.example"))
      for caller in [one, two] {
        for key in ["k", "l"] {
          _ = try await call("generateKey", ["keyRef": .string(key), "requireBiometric": true], from: caller).get()
        }
      }
      func sign(_ key: String, _ caller: Caller) async throws -> Result<JSONValue, BridgeError> {
        try await call("sign", ["keyRef": .string(key), "data": Self.message], from: caller, confirmation)
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
        #expect(prompt.count.withLock { $0 } == questions)
      }
      // Another origin is not affected, and a confirmation resets the time.
      answer.withLock { $0 = true }
      for _ in 0..<2 {
        _ = try await sign("k", two).get()
        _ = try await sign("k", one).get()
      }
      answer.withLock { $0 = false }
      _ = try await sign("k", one)
      #expect(pause(try await sign("k", one)) == 5)
      hands.pass(5)
      // Without a prompt there is no refusal, so there is no wait.
      answer.withLock { $0 = nil }
      for _ in 0..<2 { #expect(pause(try await sign("k", one)) == nil) }
    }

    @Test("a page must wait after a withdrawn prompt, too")
    func withdrawn() async throws {
      let origin = "https://one.example"
      let key = try await store.generate(
        KeyName("k", owner: .web(origin: origin)), confirmation: .always, replacing: false)
      let prompt = SlowPrompt { false }
      let hands = Hands()
      let confirmation = SignatureConfirmation(prompting: prompt) { hands.now.withLock { $0 } }
      let asking = Task { try await confirmation.confirm(signingWith: key) }
      try await eventually { prompt.count.withLock({ $0 }) != 0 }
      asking.cancel()
      await #expect(throws: CancellationError.self) { try await asking.value }
      for _ in 0..<50 {
        await #expect(throws: KeyStoreError.confirmationPaused(seconds: 5)) {
          try await confirmation.confirm(signingWith: key)
        }
      }
      #expect(prompt.count.withLock { $0 } == 1)
    }

    @Test("a page must wait after a refused passphrase")
    func refusedSecret() async throws {
      let secrets = Refusing()
      let closed = FileKeyStore(path: folder.url.path, newKeys: .passphrase, secrets: secrets, secretService: { nil })
      let caller = Caller.web(origin: "https://one.example")
      _ = try await closed.generate(
        KeyName("k", owner: .web(origin: "https://one.example")), confirmation: .never, replacing: false)
      let hands = Hands()
      let provider = KeyStoreCryptoProvider(
        store: closed,
        confirmations: SignatureConfirmation(prompting: RecordingPrompt(nil)) { hands.now.withLock { $0 } }
      )
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

    @Test("the first refusal ends the prompts of concurrent signatures")
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
        store: closed,
        confirmations: SignatureConfirmation(prompting: RecordingPrompt(nil)) { hands.now.withLock { $0 } }
      )
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

    final class Asked: ConfirmationPrompting {
      let count = Mutex(0)
      private let answer: @Sendable () -> Bool?
      init(_ answer: @escaping @Sendable () -> Bool?) { self.answer = answer }
      func confirm(_ text: String) async throws -> Bool? {
        count.withLock { $0 += 1 }
        return answer()
      }
    }

    /// Enters a passphrase for a new key and refuses it for an existing one.
    final class Refusing: SecretPrompting {
      let count = Mutex(0)
      private let time: Duration
      init(after time: Duration = .zero) { self.time = time }
      func ask(_ question: SecretPrompt, hint: String?) async throws -> SecretBytes? {
        guard !question.isNew else { return SecretBytes([1, 2, 3]) }
        count.withLock { $0 += 1 }
        try await Task.sleep(for: time)
        throw KeyStoreError.secretRefused(question)
      }
    }

    @Test("reports the maximum number of keys to a page without naming the folder")
    func quota() async throws {
      let caller = Caller.web(origin: "https://one.example")
      for index in 0..<8 { _ = try await call("generateKey", ["keyRef": .string("k\(index)")], from: caller).get() }
      guard case .failure(let error) = try await call("generateKey", ["keyRef": "k8"], from: caller) else {
        Issue.record("a ninth key was generated")
        return
      }
      #expect(error.code == "STORAGE_FULL" && error.message.contains("No more keys") && !error.message.contains("/"))
      _ = try await call("generateKey", ["keyRef": "k7"], from: caller).get()
      _ = try await call("deleteKey", ["keyRef": "k7"], from: caller).get()
      _ = try await call("generateKey", ["keyRef": "k8"], from: caller).get()
      for index in 0..<9 { _ = try await call("generateKey", ["keyRef": .string("k\(index)")]).get() }
    }

    @Test(
      "signing with an unknown key fails with KEY_NOT_FOUND",
      arguments: [Caller.local, .web(origin: "https://one.example")])
    func unknownKey(_ caller: Caller) async throws {
      let result = try await call("sign", ["keyRef": "k", "data": Self.message], from: caller)
      guard case .failure(let error) = result else {
        Issue.record("the signature succeeded")
        return
      }
      #expect(
        error.code == "KEY_NOT_FOUND" && error.message.hasPrefix("There is no key"), "\(error.message)"
      )
    }
  }
}

extension Result<JSONValue, BridgeError> {
  /// The error's code; nil for a success.
  fileprivate var code: String? {
    guard case .failure(let error) = self else { return nil }
    return error.code
  }
}
