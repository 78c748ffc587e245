import BridgeVectors
import TesseraEncryptedStorage
import TesseraLinuxProviders
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraBridge

@Suite("Launches and their outcomes")
struct LaunchTests {
  private static func outcome(_ parameters: JSONObject) -> LaunchOutcome {
    LaunchOutcome(BridgeParameters(parameters))
  }

  private static let flat: JSONObject = ["success": true, "userId": "u"]

  @Test(
    "interprets setResult parameters beyond the vectors",
    arguments: [
      (["success": true, "errorCode": "E", "errorMessage": "m"], .failed(VerificationError(code: "E", message: "m"))),
      (
        ["type": "t", "success": false, "error": ["code": "E", "message": "m"]],
        .failed(VerificationError(code: "E", message: "m"))
      ),
      (["success": false, "error": "text"], .cancelled),
      (
        ["success": false, "error": [:]],
        .failed(VerificationError(code: "UNKNOWN", message: "The verification failed."))
      ),
      (["errorCode": "", "success": true], .succeeded(VerificationResult())),
      (["success": ["a"], "type": [:]], .cancelled),
      (["success": nil, "type": nil, "data": nil], .cancelled),
      (["success": "TRUE"], .succeeded(VerificationResult())), (["success": "yes"], .cancelled),
      (
        ["success": true, "data": ["success": false, "error": ["code": "E", "message": "m"]]],
        .failed(VerificationError(code: "E", message: "m"))
      ),
      (
        ["success": true, "data": ["success": false]],
        .failed(VerificationError(code: "UNKNOWN", message: "The verification failed."))
      ),
      (
        ["success": true, "data": ["userId": "u"]],
        .failed(VerificationError(code: "PARSE_ERROR", message: "The result is unreadable."))
      ),
      (["success": true, "userId": ["no", "text"], "claims": [1]], .succeeded(VerificationResult())),
      (["success": true, "userId": 7, "proof": true], .succeeded(VerificationResult(userId: "7", proof: "true"))),
    ] as [(JSONObject, LaunchOutcome)])
  func outcomes(_ parameters: JSONObject, _ expected: LaunchOutcome) {
    #expect(Self.outcome(parameters) == expected)
  }

  @Test("preserves integers in claims at any size and depth")
  func integers() throws {
    let text = #"{"success":true,"claims":{"a":9007199254740993,"b":{"c":[1,2.5,{"d":-9223372036854775808}]}}}"#
    guard case .object(let parameters) = try JSONValue(text: text),
      case .succeeded(let result) = Self.outcome(parameters)
    else { return #expect(Bool(false), "no success") }
    #expect(result.json.text.contains(#""claims":{"a":9007199254740993,"b":{"c":[1,2.5,{"d":-9223372036854775808}]}}"#))
  }

  @Test("calls the host after the response, so that the page receives the response before it is closed")
  func order() async throws {
    let order = Locked<[String]>([])
    final class Host: LaunchHost {
      let order: Locked<[String]>
      init(_ order: Locked<[String]>) { self.order = order }
      func onSuccess(_ result: VerificationResult) async { order.withLock { $0.append("onSuccess") } }
      func onFailure(_ error: VerificationError) async { order.withLock { $0.append("onFailure") } }
      func onCancelled() async { order.withLock { $0.append("onCancelled") } }
      func dismiss() async { order.withLock { $0.append("dismiss") } }
    }
    let session = LaunchSession(host: Host(order))
    let router = MessageRouter(handlers: [LifecycleBridgeHandler(registry: SdkProviderRegistry(), session: session)])
    let request = BridgeRequest(
      id: "1", domain: .lifecycle, method: "setResult", parameters: BridgeParameters(Self.flat))
    await router.route(request) { _ in order.withLock { $0.append("answer") } }
    #expect(order.withLock { $0 } == ["answer", "onSuccess", "dismiss"])
  }

  @Test("reports one outcome to the host when many requests end the launch concurrently")
  func once() async throws {
    for _ in 0..<50 {
      let host = RecordingHost()
      let session = LaunchSession(host: host)
      let router = MessageRouter(handlers: [LifecycleBridgeHandler(registry: SdkProviderRegistry(), session: session)])
      await withTaskGroup { group in
        for index in 0..<20 {
          group.addTask {
            let method = index.isMultiple(of: 2) ? "setResult" : "dismiss"
            // Pages choose the identifiers, so they may be equal.
            let request = BridgeRequest(
              id: "1", domain: .lifecycle, method: method, parameters: BridgeParameters(Self.flat))
            await router.route(request) { _ in }
          }
        }
      }
      let calls = await host.calls
      #expect(calls.count == 2 && calls.last == ["action": "dismiss"])
    }
  }

  @Test("getConfig lists the capabilities of registered providers and omits absent values of the request")
  func configuration() async throws {
    let registry = SdkProviderRegistry()
    registry.register { $0.secureStorage = EncryptedStorageProvider(store: EncryptedStore()) }
    let request = VerificationRequest(userId: "u", scope: "s", excludedCountries: ["UTO"])
    let launch = Launch(mode: .embed, verificationRequest: request, isDebug: true, hasCustody: true)
    let handler = LifecycleBridgeHandler(registry: registry, session: LaunchSession(launch))
    let ask = BridgeRequest(id: "1", domain: .lifecycle, method: "getConfig", parameters: BridgeParameters())
    let answer = try await handler.handle(ask) { _, _ in }
    #expect(
      answer == [
        "mode": "embed", "debug": true, "platform": "linux",
        "verificationRequest": ["userId": "u", "scope": "s", "disclosures": [], "excludedCountries": ["UTO"]],
        "capabilities": [
          "nfc": false, "mrzCamera": false, "biometrics": false, "secureStorage": true, "custodyControls": true,
        ],
      ])
    let plain = try await LifecycleBridgeHandler(registry: SdkProviderRegistry()).handle(ask) { _, _ in }
    #expect(plain["mode"] == "self-app" && plain["verificationRequest"] == .null)
    #expect(plain["referenceId"] == nil && plain["capabilities"]?["custodyControls"] == nil)
  }

  @Test("the page gets all members of the request, in getConfig and in its address")
  func members() async throws {
    let text = #"""
      {"userId": "u", "scope": "s", "disclosures": ["name"], "documentType": "passport", "documentTypes": ["p", "i"],
       "ids": ["passport"], "proofItems": ["A", "B"], "timestamp": 1764374400000, "referenceId": "r", "appName": "App",
       "appEndpoint": "https://a.example/x", "environment": "stg", "endpointType": "https", "version": 2, "chainID": 42220,
       "later": {"a": [1, null]}, "nothing": null, "enterpriseSession": {"id": "SECRET"}}
      """#
    let request = try VerificationRequest(json: JSONValue(text: text))
    let handler = LifecycleBridgeHandler(
      registry: SdkProviderRegistry(), session: LaunchSession(Launch(mode: .embed, verificationRequest: request)))
    let ask = BridgeRequest(id: "1", domain: .lifecycle, method: "getConfig", parameters: BridgeParameters())
    let answer = try await handler.handle(ask) { _, _ in }
    guard case .object(let sent) = try JSONValue(text: text), case .object(let got)? = answer["verificationRequest"]
    else {
      Issue.record("there is no request")
      return
    }
    for member in sent.members where member.name != "enterpriseSession" {
      #expect(got[member.name] == member.value, "\(member.name)")
    }
    #expect(!got.names.contains("enterpriseSession"))
    var other = request
    other.otherMembers["enterpriseSession"] = ["id": "SECRET"]
    #expect(other.json == request.json)
    let query = LaunchQuery.text(SelfSdkConfig(), request)
    for part in [
      "appEndpoint=https://a.example/x", "environment=stg", "version=2", "appName=App", "endpointType=https",
      "chainID=42220", "proofItems=A,B", "documentType=passport", "documentTypes=p,i", "ids=passport",
      "timestamp=1764374400000",
    ] {
      #expect("&\(query)&".contains("&\(part)&"), "\(part) in \(query)")
    }
    #expect(!query.contains("SECRET") && !query.contains("later"))
  }

  @Test("a blank identifier of the launch counts as absent, and that of the request takes its place")
  func reference() async throws {
    func got(_ own: String?, _ requested: JSONValue?) async throws -> JSONValue? {
      var request = VerificationRequest(userId: "u")
      request.otherMembers["referenceId"] = requested
      let launch = Launch(verificationRequest: request, referenceId: own)
      let handler = LifecycleBridgeHandler(registry: SdkProviderRegistry(), session: LaunchSession(launch))
      let ask = BridgeRequest(id: "1", domain: .lifecycle, method: "getConfig", parameters: BridgeParameters())
      let answer = try await handler.handle(ask) { _, _ in }
      // What the request says of itself, the page gets as it is.
      #expect(answer["verificationRequest"]?["referenceId"] == requested)
      return answer["referenceId"]
    }
    for blank in [nil, "", " \t\n"] {
      #expect(try await got(blank, nil) == nil)
      #expect(try await got(blank, "r") == "r")
      #expect(try await got("own", blank.map(JSONValue.string)) == "own")
      #expect(try await got(blank, blank.map(JSONValue.string)) == nil)
    }
    #expect(try await got("own", "r") == "own")
    #expect(try await got(nil, 7) == nil)
    #expect(LaunchQuery.text(SelfSdkConfig(), VerificationRequest(), referenceId: "r").hasSuffix("&referenceId=r"))
  }

  @Test("the page learns whether there is a reader; without an answer in time it may try")
  func reader() async throws {
    final class Reader: NfcProvider {
      let answer: Bool?
      init(_ answer: Bool?) { self.answer = answer }
      func isAvailable() async -> Bool {
        if let answer { return answer }
        try? await untilCancelled()
        return false
      }
      func scanPassport(
        _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
      ) async throws -> NfcScanResult { throw CancellationError() }
      func cancelScan() async {}
    }
    for (answer, expected) in [(true, true), (false, false), (nil, true)] as [(Bool?, Bool)] {
      let registry = SdkProviderRegistry(clock: ManualClock(passes: answer == nil))
      registry.register { $0.nfc = Reader(answer) }
      let handler = LifecycleBridgeHandler(registry: registry)
      let ask = BridgeRequest(id: "1", domain: .lifecycle, method: "getConfig", parameters: BridgeParameters())
      // Before `ready`, and any number of times.
      for _ in 0..<3 {
        let got = try await handler.handle(ask) { _, _ in }
        #expect(got["capabilities"]?["nfc"] == .bool(expected))
      }
    }
  }

  @Test("descriptions of requests and results hide their content")
  func redaction() {
    let request = VerificationRequest(userId: "SECRET", selfDefinedData: "SECRET")
    let result = VerificationResult(userId: "SECRET", claims: ["name": "SECRET"])
    var dumped = ""
    dump(request, to: &dumped)
    dump(result, to: &dumped)
    #expect(
      !"\(request)\(result)\(String(reflecting: request))\(String(reflecting: result))\(dumped)".contains("SECRET"))
  }
}
