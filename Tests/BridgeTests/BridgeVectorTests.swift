import Failures
import Foundation
import KeyStores
import LinuxProviders
import Synchronization
import TestSupport
import Testing

@testable import Bridge

/// An NFC provider that behaves as a vector's `given` says; the provider that reads chips has tests of its own.
struct ScriptedNfcProvider: NfcProvider {
  let given: Vector
  /// Where the vector starts a scan before the one that it tests.
  let gate = Gate()

  func isAvailable() async -> Bool { given["available"].flag }
  func cancelScan() async {}

  func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
  ) async throws -> String {
    onProgress(.waitingForTag)
    switch given["hardware"].text {
    case "none": throw Failure(.noReader, "No reader.")
    case "off": throw Failure(.serviceUnavailable, "No service.")
    default: break
    }
    if given["providerError"].isPresent { throw Failure(.cardLost, given["providerError"].text) }
    if given["rawResult"].isPresent { return given["rawResult"].text }
    if given["scanInProgress"].flag || given["chip"].text == "never" {
      await gate.open()
      try await Task.sleep(for: .seconds(60))
    }
    if given["chip"].text == "mifareClassic" { throw Failure(.notSmartCard, "A storage card.") }
    onProgress(.connecting)
    let pace = given["pace"].text
    if !request.skipPACE, given["chip"].text == "synthetic" {
      onProgress(.pace)
      if pace == "ok" || pace == "okWithCan" && request.canNumber != nil { onProgress(.paceSucceeded) }
    }
    let isPACE = !request.skipPACE && (pace == "ok" || pace == "okWithCan" && request.canNumber != nil)
    if !isPACE {
      onProgress(.bac)
      if given["bac"].text == "fail" { throw Failure(.accessDenied, "The chip refused the key.") }
      onProgress(given["chip"].text == "openNoBac" ? .bacNotRequired : .bacSucceeded)
    }
    onProgress(.readingDG1)
    onProgress(.readingSOD)
    if !request.skipChipAuthentication { onProgress(.chipAuthentication) }
    onProgress(.buildingResult)
    var flat = BridgeVectors.fixture["nfcShapes"]["flatAndroid"].raw as? [String: Any] ?? [:]
    flat["paceSucceeded"] = isPACE
    onProgress(.complete)
    return String(decoding: try JSONSerialization.data(withJSONObject: flat), as: UTF8.self)
  }
}

/// Lets one task wait until another has come to a place.
actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func wait() async {
    if isOpen { return }
    await withCheckedContinuation { waiting.append($0) }
  }
}

/// A domain that answers everything with null, or throws.
struct PlainHandler: BridgeHandler {
  struct Unforeseen: Error {}
  let domain: BridgeDomain
  var fails = false

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    if fails { throw Unforeseen() }
    return nil
  }
}

enum BridgeVectors {
  static let fixture = Fixtures.json("BridgeTests", "bridge-vectors.json")
  static let cases = fixture["cases"].list
}

@Suite("The bridge against its vectors (core and server cases of the envelope, the nfc and the crypto domain)")
struct BridgeVectorTests {
  @Test("every case of the fixture is there")
  func counts() {
    #expect(BridgeVectors.cases.count == 69)
    #expect(BridgeVectors.cases.filter { $0.id.hasPrefix("nfc.") }.count == 31)
    #expect(BridgeVectors.cases.filter { $0.id.hasPrefix("crypto.") }.count == 18)
  }

  @Test("case", arguments: BridgeVectors.cases)
  func run(_ vector: Vector) async throws {
    let given = vector["given"]
    let registry = SdkProviderRegistry()
    let provider = ScriptedNfcProvider(given: given["nfc"])
    if !given["unregisterProviders"].list.contains(where: { $0.text == "nfc" }) {
      registry.register { $0.nfc = provider }
    }
    // Real keys in a folder of the test's own.
    let folder = try TemporaryFolder()
    let store = FileKeyStore(path: folder.url.path, newKeys: .unprotected, secrets: NobodyToAsk())
    if !given["unregisterProviders"].list.contains(where: { $0.text == "crypto" }) {
      registry.register {
        $0.crypto = KeyStoreCryptoProvider(store: store, confirmations: ConfirmationDesk(asking: Desktop()))
      }
    }
    for name in given["keys"].list {
      _ = try await store.generate(KeyName(name.text), confirmation: .never, replacing: false)
    }
    let keysBefore = try await store.keys().map(\.publicKey)
    let router = MessageRouter(handlers: [
      NfcBridgeHandler(registry: registry), CryptoBridgeHandler(registry: registry), PlainHandler(domain: .haptic),
      PlainHandler(domain: .secureStorage, fails: true),
    ])
    let text =
      vector["sendRaw"].isPresent
      ? vector["sendRaw"].text
      : String(decoding: try JSONSerialization.data(withJSONObject: vector["send"].raw ?? [:]), as: UTF8.self)

    let sent = Mutex<[BridgeMessage]>([])
    if given["nfc"]["scanInProgress"].flag || given["nfc"]["cancelAfterMs"].isPresent {
      // One scan waits for its card; then the tested one comes (or a cancellation of this very one).
      let first = Task {
        await router.route(text) { message in
          if given["nfc"]["cancelAfterMs"].isPresent { sent.withLock { $0.append(message) } }
        }
      }
      await provider.gate.wait()
      if given["nfc"]["scanInProgress"].flag {
        await router.route(text) { message in sent.withLock { $0.append(message) } }
      }
      await router.route(
        BridgeRequest(id: "c", domain: .nfc, method: "cancelScan", parameters: BridgeParameters())
      ) { _ in }
      await first.value
    } else {
      await router.route(text, isTrusted: !given["trustedSource"].isPresent || given["trustedSource"].flag) {
        message in sent.withLock { $0.append(message) }
      }
    }

    let messages = sent.withLock { $0 }
    let answers = messages.filter { if case .response = $0 { true } else { false } }
    let events = messages.filter { if case .event = $0 { true } else { false } }
    let expected = vector["expect"]
    guard expected["response"].isPresent else {
      #expect(messages.isEmpty)
      return
    }
    #expect(answers.count == 1)
    #expect(messages.last == answers.last)
    let signer = keysBefore.first
    #expect(Pattern(value: expected["response"].raw, signer: signer).mismatch(answers.first?.json) == nil)
    if vector.id == "crypto.generateKey.replacesExisting" {
      #expect(try await store.keys().map(\.publicKey) != keysBefore)
    }
    if expected["events"].isPresent {
      let patterns = expected["events"].list
      #expect(events.count == patterns.count)
      for (event, pattern) in zip(events, patterns) {
        #expect(Pattern(value: pattern.raw).mismatch(event.json) == nil)
      }
    }
  }

  @Test("script literals", arguments: BridgeVectors.fixture["escape"].list)
  func escape(_ vector: Vector) {
    #expect(ScriptLiteral.quote(vector["input"].text) == vector["literal"].text)
  }

  @Test("steps have the percentages and indices of the tables")
  func steps() {
    let table = BridgeVectors.fixture["nfcAndroidSteps"].list
    #expect(table.count == NfcScanStep.allCases.count)
    for entry in table {
      let step = NfcScanStep(rawValue: entry["step"].text)
      #expect(step?.percent == Int64(entry["percent"].number), "\(entry["step"].text)")
      #expect(step?.stateIndex == Int64(entry["stateIndex"].number), "\(entry["step"].text)")
    }
  }

  @Test(
    "the registry tells when it is complete",
    arguments: BridgeVectors.fixture["providerRegistry"].list.filter { $0["generation"].text == "seed" })
  func registry(_ vector: Vector) {
    let names = Set(vector["registered"].list.map(\.text))
    let registry = SdkProviderRegistry()
    registry.register { providers in
      if names.contains("nfc") { providers.nfc = ScriptedNfcProvider(given: .missing) }
      if names.contains("biometric") { providers.biometric = Nothing() }
      if names.contains("secureStorage") { providers.secureStorage = Nothing() }
      if names.contains("crypto") { providers.crypto = Nothing() }
      if names.contains("cameraMrz") { providers.cameraMrz = Nothing() }
      if names.contains("haptic") { providers.haptic = Nothing() }
      if names.contains("documents") { providers.documents = NoDocuments() }
      if names.contains("webView") { providers.webView = Nothing() }
    }
    #expect(registry.isConfigured == vector["isConfigured"].flag)
    registry.reset()
    #expect(!registry.isConfigured)
  }
}

/// Stands in the registry's places, where only presence counts.
struct Nothing: BiometricProvider, SecureStorageProvider, CryptoProvider, CameraMrzProvider, HapticProvider,
  WebViewProvider
{
  func isAvailable() async -> Bool { false }
  func getBiometryType() async -> String { "none" }
  func authenticate(reason: String) async throws {}
  func get(_ key: String, for caller: BridgeCaller) async throws -> String? { nil }
  func set(_ key: String, _ value: String, for caller: BridgeCaller) async throws {}
  func remove(_ key: String, for caller: BridgeCaller) async throws {}
  func clear(for caller: BridgeCaller) async throws {}
  func generateKey(_ keyRef: String, needsPresence: Bool, for caller: BridgeCaller) async throws {}
  func getPublicKey(
    _ keyRef: String, as form: CryptoPublicKeyForm, for caller: BridgeCaller
  ) async throws -> String? { nil }
  func sign(_ keyRef: String, _ data: String, for caller: BridgeCaller) async throws -> String? { nil }
  func deleteKey(_ keyRef: String, for caller: BridgeCaller) async throws {}
  func scanMrz(onProgress: @escaping @Sendable (Int) -> Void) async throws -> String { "" }
  func stopCamera() async {}
  func impact(_ style: String) async {}
  func notification(_ type: String) async {}
  func selection() async {}
  func createWebView(
    queryParams: String, isDebugMode: Bool, onMessage: @escaping @Sendable (String) -> Void
  ) async throws {}
  func evaluateJs(_ script: String) async throws {}
  func close() async {}
}

struct NoDocuments: DocumentsProvider {
  func get(_ key: String, for caller: BridgeCaller) async throws -> JSONValue? { nil }
  func set(_ key: String, _ value: JSONValue, for caller: BridgeCaller) async throws {}
  func remove(_ key: String, for caller: BridgeCaller) async throws {}
  func list(for caller: BridgeCaller) async throws -> [String] { [] }
}
