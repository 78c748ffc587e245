import BridgeVectors
import TesseraCore
import TesseraEncryptedStorage
import TesseraLinuxProviders
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraBridge

/// A reader and camera whose scan blocks until it is cancelled, and which records its calls.
private final class Device: NfcProvider, CameraMrzProvider, CameraSealProvider {
  let calls = Locked<[String]>([])
  let begun: Gate
  private let finishes: Bool

  init(begun: Gate = Gate(), finishes: Bool = false) {
    self.begun = begun
    self.finishes = finishes
  }

  func isAvailable() async -> Bool { true }
  func cancelScan() async { calls.withLock { $0.append("stop") } }
  func stopCamera() async { calls.withLock { $0.append("stop") } }

  func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
  ) async throws -> NfcScanResult {
    try await scan()
    return .vector()
  }

  func scanMrz(
    _ request: CameraMrzRequest, onProgress: @escaping @Sendable (MrzDetectionState) -> Void
  ) async throws -> JSONObject {
    try await scan()
    return ["documentNumber": "X", "dateOfBirth": "1", "dateOfExpiry": "2"]
  }

  func scanSeal(
    _ request: CameraMrzRequest, onProgress: @escaping @Sendable (SealDetectionState) -> Void
  ) async throws -> JSONObject {
    try await scan()
    return ["kind": "vds"]
  }

  private func scan() async throws {
    calls.withLock { $0.append("scan") }
    await begun.open()
    if !finishes { try await untilCancelled() }
  }
}

@Suite("Concurrent scans", .timeLimit(.minutes(20)))
struct ScanTests {
  /// A scan of a domain. All follow the same rules.
  struct Domain: Sendable, CustomTestStringConvertible {
    let scan: String
    let stop: String
    let busy: JSONValue
    let stopped: JSONValue
    /// The calls of a provider whose scan was stopped. That of seals has no other call: its task is cancelled.
    var calls = ["scan", "stop"]
    var testDescription: String { scan }
  }
  static let domains = [
    Domain(scan: "nfc.scan", stop: "nfc.cancelScan", busy: "NFC_BUSY", stopped: "SCAN_ABORTED"),
    Domain(scan: "camera.scanMRZ", stop: "camera.stopCamera", busy: "CAMERA_BUSY", stopped: "MRZ_SCAN_CANCELLED"),
    Domain(
      scan: "camera.scanSeal", stop: "camera.stopCamera", busy: "CAMERA_BUSY", stopped: "SEAL_SCAN_CANCELLED",
      calls: ["scan"]),
  ]
  private static let document: JSONObject = [
    "passportNumber": "L898902C3", "dateOfBirth": "690806", "dateOfExpiry": "060815",
  ]

  /// The handlers of both domains. Their clock stands still: a stopped scan has all the time to release the device.
  private struct Environment {
    let router: MessageRouter
    private let registry = SdkProviderRegistry()

    init(_ device: Device) {
      router = MessageRouter(handlers: [
        NfcBridgeHandler(
          registry: registry, timeLimit: nil, coordinator: ScanCoordinator(handoverTime: .zero, clock: ManualClock())),
        CameraMrzBridgeHandler(
          registry: registry, coordinator: ScanCoordinator(handoverTime: .zero, clock: ManualClock())),
        LifecycleBridgeHandler(registry: registry),
      ])
      register(device)
    }

    func register(_ device: Device) {
      registry.register { providers in
        providers.nfc = device
        providers.cameraMrz = device
        providers.cameraSeal = device
      }
    }

    func client() async throws -> VectorClient { try await ScanTests.client(router) }
  }

  private static func client(_ router: MessageRouter) async throws -> VectorClient {
    VectorClient(try #require(try await InProcessTransport().open(router, isTrusted: true)))
  }

  @Test("refuses a second scan: busy for another connection, already scanning for the same one", arguments: domains)
  func busy(_ domain: Domain) async throws {
    let device = Device()
    let environment = Environment(device)
    let (first, second) = (try await environment.client(), try await environment.client())
    try await first.send(VectorClient.request(domain.scan, Self.document, id: "scan"))
    await device.begun.wait()
    #expect(try await second.ask(domain.scan, Self.document)["error"]?["code"] == domain.busy)
    #expect(try await first.ask(domain.scan, Self.document)["error"]?["code"] == "ALREADY_SCANNING")
    // A connection cannot stop the scan of another one.
    #expect(try await second.ask(domain.stop)["success"] == true)
    #expect(device.calls.withLock { $0 } == ["scan"])
    #expect(first.messages.contains { $0["requestId"] == "scan" } == false)
    #expect(try await first.ask(domain.stop)["success"] == true)
    #expect(try await first.answer(to: "scan")["error"]?["code"] == domain.stopped)
    #expect(device.calls.withLock { $0 } == domain.calls)
    await first.close()
    await second.close()
  }

  @Test("any connection can scan after a stop", arguments: domains)
  func free(_ domain: Domain) async throws {
    let device = Device()
    let environment = Environment(device)
    let (first, second) = (try await environment.client(), try await environment.client())
    try await first.send(VectorClient.request(domain.scan, Self.document, id: "scan"))
    await device.begun.wait()
    try await first.ask(domain.stop)
    let quick = Device(finishes: true)
    environment.register(quick)
    #expect(try await second.ask(domain.scan, Self.document)["success"] == true)
    #expect(quick.calls.withLock { $0 } == ["scan"])
    await first.close()
    await second.close()
  }

  @Test("releases the device before the response to dismiss", arguments: domains)
  func dismissed(_ domain: Domain) async throws {
    let device = Device()
    let environment = Environment(device)
    let (first, second) = (try await environment.client(), try await environment.client())
    try await first.send(VectorClient.request(domain.scan, Self.document, id: "scan"))
    await device.begun.wait()
    // The dismissal of another connection does not end the scan.
    #expect(try await second.ask("lifecycle.dismiss")["success"] == true)
    #expect(device.calls.withLock { $0 } == ["scan"])
    #expect(try await first.ask("lifecycle.dismiss")["success"] == true)
    #expect(device.calls.withLock { $0 } == domain.calls)
    #expect(try await first.answer(to: "scan")["error"]?["code"] == domain.stopped)
    let quick = Device(finishes: true)
    environment.register(quick)
    #expect(try await second.ask(domain.scan, Self.document)["success"] == true)
    await first.close()
    await second.close()
  }

  @Test("a scan that exceeds its time limit fails before the timeout of the client, and the next scan can start")
  func timeLimit() async throws {
    let clock = ManualClock()
    let coordinator = ScanCoordinator<NfcScanResult>(clock: clock)
    @Sendable func scan(_ device: Device, within limit: Duration?) async -> JSONValue {
      let registry = SdkProviderRegistry()
      registry.register { $0.nfc = device }
      let handler = NfcBridgeHandler(registry: registry, timeLimit: limit, coordinator: coordinator)
      let answer = Locked(JSONValue.null)
      await MessageRouter(handlers: [handler]).route(
        VectorClient.request("nfc.scan", Self.document, id: "scan"), from: .local
      ) { message in
        if case .response = message { answer.withLock { $0 = message.json } }
      }
      return answer.withLock { $0 }
    }
    let device = Device()
    async let late = scan(device, within: NfcBridgeHandler.timeLimit)
    await device.begun.wait()
    clock.advance(by: NfcBridgeHandler.timeLimit - .milliseconds(1))
    #expect(device.calls.withLock { $0 } == ["scan"])
    try await clock.advance(whenAwaited: .milliseconds(1))
    #expect(await late["error"]?["code"] == "NFC_SCAN_FAILED")
    // The answer does not wait for the stop of the provider; the next scan does.
    #expect(await scan(Device(finishes: true), within: nil)["success"] == true)
    #expect(device.calls.withLock { $0 } == ["scan", "stop"])
    // The timeout of the client is 120 s (the bridge protocol, section Limits).
    #expect(NfcBridgeHandler.timeLimit < .seconds(120) && LinuxProviders.scanTimeout < NfcBridgeHandler.timeLimit)
  }

  @Test("a scan waits until a stopped scan releases the device")
  func lateLeaver() async throws {
    let coordinator = ScanCoordinator<String>(clock: ManualClock())
    let (begun, leaves) = (Gate(), Gate())
    let steps = Locked<[String]>([])
    let (first, second) = (BridgeConnection(), BridgeConnection())
    let stopped = Task {
      try await coordinator.scan(over: first, stop: { steps.withLock { $0.append("stopped") } }) { _ in
        await begun.open()
        await leaves.wait()
        steps.withLock { $0.append("left") }
        return ""
      }
    }
    await begun.wait()
    #expect(await coordinator.stop(for: first))
    // The response does not wait for the device.
    await #expect(throws: CancellationError.self) { try await stopped.value }
    let next = Task {
      try await coordinator.scan(over: second, stop: {}) { _ in
        steps.withLock { $0.append("next") }
        return "read"
      }
    }
    await leaves.open()
    #expect(try await next.value == "read")
    #expect(steps.withLock { $0 } == ["stopped", "left", "next"])
  }

  @Test("a waiting scan that is stopped does not begin, and the provider is not stopped for it")
  func stoppedWaiting() async throws {
    let coordinator = ScanCoordinator<String>(clock: ManualClock())
    let (begun, leaves) = (Gate(), Gate())
    let steps = Locked<[String]>([])
    let connection = BridgeConnection()
    let first = Task {
      try await coordinator.scan(over: connection, stop: { steps.withLock { $0.append("first stopped") } }) { _ in
        await begun.open()
        await leaves.wait()
        return ""
      }
    }
    await begun.wait()
    #expect(await coordinator.stop(for: connection))
    // Like the service: the scan waits before the next message is handled.
    let waiting = Task.immediate {
      try await coordinator.scan(over: connection, stop: { steps.withLock { $0.append("waiting stopped") } }) { _ in
        steps.withLock { $0.append("waiting began") }
        return ""
      }
    }
    #expect(await coordinator.stop(for: connection))
    await leaves.open()
    await #expect(throws: CancellationError.self) { try await first.value }
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(steps.withLock { $0 } == ["first stopped"])
    #expect(try await coordinator.scan(over: BridgeConnection(), stop: {}, { _ in "read" }) == "read")
  }

  @Test("a device stays busy for all connections until the provider returns")
  func stuckDevice() async throws {
    let clock = ManualClock()
    let coordinator = ScanCoordinator<String>(clock: clock)
    let (begun, leaves) = (Gate(), Gate())
    let (first, second) = (BridgeConnection(), BridgeConnection())
    let stopped = Task {
      try await coordinator.scan(over: first, stop: {}) { _ in
        await begun.open()
        await leaves.wait()
        return ""
      }
    }
    await begun.wait()
    stopped.cancel()
    await #expect(throws: CancellationError.self) { try await stopped.value }
    for connection in [first, second] {
      let refused = Task { try await coordinator.scan(over: connection, stop: {}, { _ in "" }) }
      try await clock.advance(whenAwaited: .seconds(5))
      await #expect(throws: ScanRefusal.busy) { try await refused.value }
    }
    // However long that takes.
    await leaves.open()
    #expect(try await coordinator.scan(over: second, stop: {}, { _ in "read" }) == "read")
  }

  /// A scan that has begun, and ends when it is cancelled.
  private static func endlessScan(_ coordinator: ScanCoordinator<String>) async -> Task<String, any Error> {
    let begun = Gate()
    let scan = Task {
      try await coordinator.scan(over: BridgeConnection(), stop: {}) { _ in
        await begun.open()
        try await untilCancelled()
        return ""
      }
    }
    await begun.wait()
    return scan
  }

  @Test("a scan over a new connection waits for one whose connection is about to end, and no longer")
  func handover() async throws {
    let clock = ManualClock()
    let coordinator = ScanCoordinator<String>(clock: clock)
    let old = await Self.endlessScan(coordinator)
    let refused = Task { try await coordinator.scan(over: BridgeConnection(), stop: {}, { _ in "" }) }
    try await clock.advance(whenAwaited: .milliseconds(500))
    await #expect(throws: ScanRefusal.busy) { try await refused.value }
    let new = Task { try await coordinator.scan(over: BridgeConnection(), stop: {}, { _ in "read" }) }
    try await clock.waits(2)
    old.cancel()
    #expect(try await new.value == "read")
    await #expect(throws: CancellationError.self) { try await old.value }
  }

  @Test(
    "a scan that waits for another connection's is ended by its own stop, and by its cancellation",
    arguments: [true, false])
  func stoppedHandover(_ byStop: Bool) async throws {
    let clock = ManualClock()
    let coordinator = ScanCoordinator<String>(clock: clock)
    let old = await Self.endlessScan(coordinator)
    let connection = BridgeConnection()
    let waiting = Task { try await coordinator.scan(over: connection, stop: {}, { _ in "" }) }
    try await clock.waits(1)
    // The clock stands still: nothing else ends the wait.
    if byStop { _ = await coordinator.stop(for: connection) } else { waiting.cancel() }
    await #expect(throws: CancellationError.self) { try await waiting.value }
    old.cancel()
    await #expect(throws: CancellationError.self) { try await old.value }
  }

  @Test(
    "a client that disconnects ends its scan, and the provider is stopped before another scan begins",
    arguments: domains)
  func disconnected(_ domain: Domain) async throws {
    let device = Device()
    let environment = Environment(device)
    let answers = Locked<[JSONValue?]>([])
    let text = VectorClient.request(domain.scan, Self.document, id: "scan")
    let request = Task {
      await environment.router.route(text, from: .local, over: BridgeConnection()) { message in
        answers.withLock { $0.append(message.json["error"]?["code"]) }
      }
    }
    await device.begun.wait()
    request.cancel()
    await request.value
    #expect(answers.withLock { $0 } == [domain.stopped])
    let client = try await environment.client()
    // The device is free when the provider has stopped, which may be later.
    while device.calls.withLock({ $0 }) != domain.calls { await Task.yield() }
    #expect(device.calls.withLock { $0 } == domain.calls)
    await client.close()
  }

  @Test("a request that is cancelled before it begins does not scan", arguments: domains)
  func cancelledEarly(_ domain: Domain) async throws {
    let device = Device()
    let environment = Environment(device)
    let text = VectorClient.request(domain.scan, Self.document, id: "scan")
    let code = Locked<JSONValue?>(nil)
    let request = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await environment.router.route(text, from: .local) { message in
        code.withLock { $0 = message.json["error"]?["code"] }
      }
    }
    await request.value
    #expect(code.withLock { $0 } == domain.stopped)
  }

  @Test("the stop of the provider ends before the scan of another connection begins")
  func stopComesFirst() async throws {
    let clock = ManualClock()
    let coordinator = ScanCoordinator<String>(clock: clock)
    let (begun, mayStop) = (Gate(), Gate())
    let first = BridgeConnection()
    let stop: @Sendable () async -> Void = { await mayStop.wait() }
    let scan = Task {
      try await coordinator.scan(over: first, stop: stop) { _ in
        await begun.open()
        try await untilCancelled()
        return ""
      }
    }
    await begun.wait()
    async let stopped = coordinator.stop(for: first)
    // The response does not wait for the provider; the next scan does.
    await #expect(throws: CancellationError.self) { try await scan.value }
    let none: @Sendable () async -> Void = {}
    let refused = Task { try await coordinator.scan(over: BridgeConnection(), stop: none) { _ in "" } }
    try await clock.advance(whenAwaited: .seconds(5))
    await #expect(throws: ScanRefusal.busy) { try await refused.value }
    await mayStop.open()
    #expect(await stopped)
    #expect(try await coordinator.scan(over: BridgeConnection(), stop: none) { _ in "done" } == "done")
  }

  @Test("of many concurrent scans one uses the device, and each is answered")
  func contention() async throws {
    let coordinator = ScanCoordinator<String>()
    let none: @Sendable () async -> Void = {}
    let running = Locked((now: 0, most: 0, done: 0, refused: 0))
    await withTaskGroup { group in
      for index in 0..<400 {
        group.addTask {
          do {
            _ = try await coordinator.scan(over: BridgeConnection(), stop: none) { _ in
              running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
              }
              await Task.yield()
              running.withLock { $0.now -= 1 }
              return "x"
            }
            running.withLock { $0.done += 1 }
          } catch {
            running.withLock { $0.refused += 1 }
          }
          if index.isMultiple(of: 7) { await Task.yield() }
        }
      }
    }
    let (now, most, done, refused) = running.withLock { $0 }
    #expect(now == 0 && most == 1 && done >= 1 && done + refused == 400)
  }

  @Test("cancelling a request ends a biometric prompt, also if the provider ignores cancellation")
  func unresponsiveBiometrics() async {
    struct Unresponsive: BiometricProvider {
      let asked: Gate
      let answers: Gate
      func isAvailable() async -> Bool { true }
      func getBiometryType() async -> String { "touchId" }
      func authenticate(reason: String, for caller: Caller) async throws {
        await asked.open()
        await answers.wait()
      }
    }
    let (asked, answers) = (Gate(), Gate())
    let registry = SdkProviderRegistry()
    registry.register { providers in
      providers.biometric = Unresponsive(asked: asked, answers: answers)
      providers.secureStorage = EncryptedStorageProvider(store: EncryptedStore())
    }
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: registry))
    for (text, code) in [
      (VectorClient.request("biometrics.authenticate", id: "1"), "BIOMETRIC_ERROR"),
      (
        VectorClient.request("secureStorage.get", ["key": "k", "requireBiometric": true], id: "2"), "BIOMETRIC_FAILED"
      ),
    ] {
      let found = Locked<JSONValue?>(nil)
      let request = Task {
        await router.route(text, from: .local) { message in found.withLock { $0 = message.json["error"]?["code"] } }
      }
      await asked.wait()
      request.cancel()
      await request.value
      #expect(found.withLock { $0 } == .string(code))
    }
    await answers.open()
  }

  @Test("reports camera states only when they change, and omits invalid hints")
  func cameraProgress() async throws {
    struct Camera: CameraMrzProvider {
      let hints: Locked<CameraMrzRequest?>
      func isAvailable() async -> Bool { true }
      func stopCamera() async {}
      func scanMrz(
        _ request: CameraMrzRequest, onProgress: @escaping @Sendable (MrzDetectionState) -> Void
      ) async throws -> JSONObject {
        hints.withLock { $0 = request }
        for state: MrzDetectionState in [.noText, .noText, .textDetected, .noText, .noText, .twoMrzLines] {
          onProgress(state)
        }
        return ["documentNumber": "X", "dateOfBirth": "1", "dateOfExpiry": "2", "gender": "", "anything": [1]]
      }
    }
    let hints = Locked<CameraMrzRequest?>(nil)
    let environment = try VectorEnvironment()
    environment.registry.register { $0.cameraMrz = Camera(hints: hints) }
    let client = try await Self.client(environment.router)
    let rectangle: JSONValue = ["x": 0, "y": .number(JSONNumber(grammatical: "120.5")), "width": 1080, "height": 400]
    let answer = try await client.ask("camera.scanMRZ", ["scanRect": rectangle, "documentType": "P"])
    #expect(answer["data"]?["anything"] == [1])
    // The common name stands beside the seed's.
    #expect(answer["data"]?["gender"] == "" && answer["data"]?["sex"] == "<")
    let states = client.messages.compactMap { $0["data"]?["state"]?.stringValue }
    #expect(states == ["no_text", "text_detected", "no_text", "mrz_detected"])
    let expected = CameraMrzRequest.Rectangle(x: 0, y: 120.5, width: 1080, height: 400)
    #expect(hints.withLock { $0 } == CameraMrzRequest(documentType: "P", scanRect: expected))
    for other: JSONValue in ["x", [:], ["x": 0, "y": 0, "width": 0, "height": 1], ["x": "0"]] {
      try await client.ask("camera.scanMRZ", ["scanRect": other])
      #expect(hints.withLock { $0 } == CameraMrzRequest())
    }
    await client.close()
  }

  @Test(
    "the scans of zones and seals use one camera: each refuses the other, and a stop ends the one that runs",
    arguments: [
      ("camera.scanMRZ", "camera.scanSeal", "MRZ_SCAN_CANCELLED"),
      ("camera.scanSeal", "camera.scanMrz", "SEAL_SCAN_CANCELLED"),
    ])
  func oneCamera(_ scan: String, _ other: String, _ stopped: String) async throws {
    let device = Device()
    let environment = Environment(device)
    let (first, second) = (try await environment.client(), try await environment.client())
    try await first.send(VectorClient.request(scan, id: "scan"))
    await device.begun.wait()
    #expect(try await first.ask(other)["error"]?["code"] == "ALREADY_SCANNING")
    #expect(try await second.ask(other)["error"]?["code"] == "CAMERA_BUSY")
    #expect(try await first.ask("camera.stopCamera")["success"] == true)
    #expect(try await first.answer(to: "scan")["error"]?["code"] == .string(stopped))
    environment.register(Device(finishes: true))
    #expect(try await second.ask(other)["success"] == true)
    await first.close()
    await second.close()
  }

  @Test("a scan for a seal reports changed states, answers with the report as it is, and knows the rectangle only")
  func sealScan() async throws {
    let report: JSONObject = [
      "kind": "vds", "outcome": "genuine", "fields": [["name": "mrz", "value": "<b>\u{2028}'"]], "signer": nil,
      "verifiedAt": 9_007_199_254_740_993,
    ]
    let states: [SealDetectionState] = [.noBarcode, .noBarcode, .zone, .otherBarcode, .otherBarcode, .zone, .seal]
    let seals = ScriptedCameraSealProvider(states, end: .report(report))
    let environment = try VectorEnvironment()
    environment.registry.register { $0.cameraSeal = seals }
    let client = try await Self.client(environment.router)
    let rectangle: JSONValue = ["x": 1, "y": 2, "width": 320, "height": 180]
    // The hints of the other scan are unknown to this one, whatever they are.
    let answer = try await client.ask("camera.scanSeal", ["scanRect": rectangle, "documentType": [:]], id: "scan")
    #expect(answer["data"] == .object(report))
    #expect(
      client.messages.compactMap { $0["data"]?["state"]?.stringValue } == [
        "no_barcode", "mrz_detected", "other_barcode", "mrz_detected", "seal_detected",
      ])
    for event in client.messages.filter({ $0["type"] == "event" }) {
      #expect(event["domain"] == "camera" && event["event"] == "scanProgress")
    }
    #expect(client.messages.last?["requestId"] == "scan", "the answer comes after its events")
    try await client.ask("camera.scanSeal", ["scanRect": "x"])
    let place = CameraMrzRequest.Rectangle(x: 1, y: 2, width: 320, height: 180)
    #expect(seals.requests == [CameraMrzRequest(scanRect: place), CameraMrzRequest()])
    await client.close()
  }

  @Test("the errors of a scan for a seal: a local program learns the cause and the remedy, web content does not")
  func sealErrors() async throws {
    let missing = Failure(.serviceUnavailable, "The library is missing.", remedy: "Install it.")
    let busy = BridgeError("CAMERA_BUSY", "Another program or page is using the camera.")
    let (failed, noStart) = ("The camera scan failed.", "The camera could not be started.")
    let rows: [(error: any Error, code: String, local: String, web: String)] = [
      (missing, "SEAL_SCAN_FAILED", missing.cause, failed),
      (CameraMrzError.cannotStart(cause: missing), "CAMERA_INIT_FAILED", missing.cause, noStart),
      (CameraMrzError.cannotStart(), "CAMERA_INIT_FAILED", noStart, noStart),
      (
        CameraMrzError.notConnected(cause: missing), "CAMERA_INIT_FAILED", "No camera is connected.",
        "No camera is connected."
      ),
      (
        CameraMrzError.permissionDenied(), "CAMERA_PERMISSION_DENIED", "The use of the camera is not permitted.",
        "The use of the camera is not permitted."
      ),
      (busy, "CAMERA_BUSY", busy.message, busy.message),
      (CancellationError(), "SEAL_SCAN_CANCELLED", "The scan was stopped.", "The scan was stopped."),
    ]
    for caller in [Caller.local, .web(origin: "https://a.example")] {
      for row in rows {
        let registry = SdkProviderRegistry()
        registry.register { $0.cameraSeal = ScriptedCameraSealProvider(end: .failure(row.error)) }
        let request = BridgeRequest(
          id: "1", domain: .camera, method: "scanSeal", parameters: BridgeParameters(), caller: caller)
        let error = await #expect(throws: BridgeError.self) {
          _ = try await CameraMrzBridgeHandler(registry: registry).handle(request) { _, _ in }
        }
        #expect(error?.code == row.code && error?.message == (caller == .local ? row.local : row.web), "\(row.code)")
        if row.error is Failure { #expect(error?.failure?.remedy == missing.remedy) }
      }
    }
  }

  @Test("without a provider of its own, the scan for a seal is not configured, and the scan of a zone works")
  func noSealProvider() async throws {
    let environment = try VectorEnvironment()
    environment.registry.register { providers in
      providers.cameraMrz = Device(finishes: true)
      providers.cameraSeal = nil
    }
    let client = try await Self.client(environment.router)
    #expect(try await client.ask("camera.scanSeal")["error"]?["code"] == "NOT_CONFIGURED")
    #expect(try await client.ask("camera.scanMRZ")["success"] == true)
    #expect(try await client.ask("camera.scanseal")["error"]?["code"] == "METHOD_NOT_FOUND")
    await client.close()
  }
}
