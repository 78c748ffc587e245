import BridgeVectors
import TesseraCore
import TesseraEncryptedStorage
import TesseraLinuxProviders
import TestSupport
import Testing

@testable import TesseraBridge

@Suite("Bridge vectors (cases tagged core or server)")
struct BridgeVectorTests {
  @Test("the fixture contains every case")
  func counts() {
    #expect(BridgeVectors.cases.count == 201)
    let counts = [
      "envelope": 19, "nfc": 31, "biometrics": 11, "secureStorage": 16, "camera": 16, "crypto": 18, "haptic": 31,
      "analytics": 7, "lifecycle": 21, "documents": 25, "navigation": 3 + 1, "custody": 1, "internalError": 1,
    ]
    for (domain, count) in counts {
      #expect(BridgeVectors.cases.count { $0.id.hasPrefix("\(domain).") } == count, "\(domain)")
    }
  }

  @Test("the cases for other transports are a tenth with every domain, or all of them")
  func carried() {
    let carried = BridgeVectors.carriedCases
    #expect(carried.count == (Sweep.isFull ? 201 : 25))
    func domains(_ cases: [Vector]) -> Set<Substring> { Set(cases.compactMap { $0.id.split(separator: ".").first }) }
    #expect(domains(carried) == domains(BridgeVectors.cases))
    #expect(BridgeVectors.carriedSequences.count == (Sweep.isFull ? 10 : 3))
  }

  @Test("every case passes: local programs and pages can use every method of the protocol")
  func parity() async throws {
    let transports: [InProcessTransport] = [
      InProcessTransport(), InProcessTransport(caller: .web(origin: "https://a.example")),
    ]
    // Key operations of pages prompt the user; CryptoProviderTests covers them.
    let matrix = try await ParityMatrix.run(BridgeVectors.cases, through: [transports[0]])
    let pages = try await ParityMatrix.run(
      BridgeVectors.cases.filter { !$0.id.hasPrefix("crypto.") }, through: [transports[1]])
    #expect(matrix.failures + pages.failures == [])
    #expect(matrix.missing == [])
    print(matrix.text)
  }

  @Test("sequence", arguments: VectorSequences.all)
  func sequence(_ vector: Vector) async throws {
    #expect(VectorSequences.all.count == 10)
    #expect(try await VectorSequences.mismatch(vector, through: InProcessTransport()) == nil)
  }
}

@Suite("Tables of the bridge vectors")
struct BridgeTableTests {
  @Test("script literals", arguments: BridgeVectors.fixture["escape"].list)
  func escape(_ vector: Vector) {
    #expect(BridgeVectors.fixture["escape"].list.count == 12)
    #expect(ScriptLiteral.quote(vector["input"].text) == vector["literal"].text)
  }

  @Test("scan steps have the percentages and state indices of the table")
  func steps() {
    let table = BridgeVectors.fixture["nfcAndroidSteps"].list
    #expect(table.count == NfcScanStep.allCases.count)
    for entry in table {
      let step = NfcScanStep(rawValue: entry["step"].text)
      #expect(step?.percent == Int64(entry["percent"].number), "\(entry["step"].text)")
      #expect(step?.state.rawValue == Int64(entry["stateIndex"].number), "\(entry["step"].text)")
    }
  }

  @Test("every state has a step with its percentage")
  func states() {
    let table = BridgeVectors.fixture["nfcStates"].list
    #expect(table.map { Int64($0["index"].number) } == NfcScanState.allCases.map(\.rawValue))
    for (state, entry) in zip(NfcScanState.allCases, table) {
      let steps = NfcScanStep.allCases.filter { $0.state == state }
      #expect(steps.contains { $0.percent == Int64(entry["percent"].number) }, "\(entry["name"].text)")
      let name = entry["name"].text.lowercased().filter { $0 != "_" }
      #expect("\(state)".lowercased() == name)
    }
  }

  @Test("camera states have the names of the table")
  func detection() {
    let table = BridgeVectors.fixture["mrzDetectionStates"].list
    #expect(table.count == MrzDetectionState.allCases.count)
    for (state, entry) in zip(MrzDetectionState.allCases, table) {
      #expect(state.rawValue == entry["index"].number && state.name == entry["wire"].text)
    }
  }

  @Test("events have the keys that clients require")
  func events() throws {
    let table = BridgeVectors.fixture["events"].list.filter { $0["profile"].list.contains { $0.text == "server" } }
    #expect(table.map(\.id) == ["event.nfc.scanProgress", "event.camera.scanProgress"])
    let payloads = [NfcScanStep.readingDG1.payload, ["state": .string(MrzDetectionState.oneMrzLine.name)]]
    for (entry, payload) in zip(table, payloads) {
      let domain = try #require(BridgeDomain(rawValue: entry["domain"].text))
      let event = BridgeMessage.event(domain: domain, name: entry["event"].text, data: payload).json
      #expect(event["event"] == "scanProgress" && event["type"] == "event" && event["version"] == 1)
      for key in entry["required"].list.map(\.text) { #expect(event["data"]?[key] != nil, "\(entry.id) \(key)") }
    }
  }

  @Test("the registry reports whether it is complete", arguments: BridgeVectors.fixture["providerRegistry"].list)
  func registry(_ vector: Vector) {
    #expect(BridgeVectors.fixture["providerRegistry"].list.count == 13)
    let names = Set(vector["registered"].list.map(\.text))
    let registry = SdkProviderRegistry()
    registry.register { providers in
      if names.contains("nfc") { providers.nfc = ScriptedNfcProvider(given: .missing) }
      if names.contains("biometric") { providers.biometric = ScriptedBiometricProvider(given: .missing) }
      if names.contains("secureStorage") { providers.secureStorage = EncryptedStorageProvider(store: EncryptedStore()) }
      if names.contains("crypto") { providers.crypto = NoKeys() }
      if names.contains("cameraMrz") { providers.cameraMrz = ScriptedCameraProvider(given: .missing) }
      if names.contains("haptic") { providers.haptic = ScriptedHapticProvider() }
      if names.contains("documents") { providers.documents = EncryptedDocumentsProvider(store: EncryptedStore()) }
      if names.contains("webView") { providers.webView = NoWindow() }
    }
    let isConfigured =
      vector["generation"].text == "common" ? registry.providers.isCommonConfigured : registry.isConfigured
    #expect(isConfigured == vector["isConfigured"].flag)
    registry.reset()
    #expect(!registry.isConfigured && !registry.providers.isCommonConfigured)
  }

  @Test("the next request finds a provider that was registered late, and misses one that was removed")
  func lateRegistration() async throws {
    let environment = try VectorEnvironment()
    let connection = try #require(try await InProcessTransport().open(environment.router, isTrusted: true))
    let client = VectorClient(connection)
    environment.registry.reset()
    for target in ["secureStorage.get", "documents.list", "crypto.getPublicKey", "biometrics.authenticate", "nfc.scan"]
    {
      #expect(try await client.ask(target, ["key": "k"])["error"]?["code"] == "NOT_CONFIGURED", "\(target)")
    }
    #expect(try await client.ask("haptic.trigger")["data"] == .null)
    environment.register()
    #expect(try await client.ask("secureStorage.get", ["key": "k"])["data"] == ["value": nil])
    await client.close()
  }
}

// Providers for the registry test, which are never called.
private struct NoKeys: CryptoProvider {
  func generateKey(_ keyRef: String, needsPresence: Bool, for caller: Caller) async throws {}
  func getPublicKey(
    _ keyRef: String, as form: CryptoPublicKeyForm, for caller: Caller
  ) async throws -> String? { nil }
  func sign(_ keyRef: String, _ data: String, for caller: Caller) async throws -> String? { nil }
  func deleteKey(_ keyRef: String, for caller: Caller) async throws {}
}

struct NoWindow: WebViewProvider {
  func show(_ content: LaunchContent, for session: LaunchSession, router: MessageRouter) async throws {}
}
