import BridgeVectors
import Foundation
import TesseraBridge
import TesseraCore
import TesseraService
import TestSupport
import Testing

@Suite("Connections")
struct ConnectionTests {
  static let document: JSONObject = [
    "passportNumber": "L898902C3", "dateOfBirth": "690806", "dateOfExpiry": "060815",
  ]
  /// Requests scans until one begins: the device is free when the scan before it has ended, which takes a moment.
  private static func scanUntilStarted(_ client: WebSocketClient) async throws {
    var attempts = 0
    _ = try await isTrue(within: .seconds(120), every: .milliseconds(20)) {
      if client.messages.contains(where: { $0["type"] == "event" }) { return true }
      attempts += 1
      client.post(VectorClient.request("nfc.scan", document, id: "mine-\(attempts)"))
      return false
    }
  }

  static let neverADocument = Vector(["nfc": ["chip": "never"] as [String: Any]] as [String: Any])

  @Test("a client that disconnects cancels its own requests only")
  func goingAway() async throws {
    let handler = WaitingHandler()
    try await ServiceUnderTest.with(MessageRouter(handlers: [handler])) { service in
      let clients: [any TestClient] = [try service.unix(), try await service.webSocket(), try service.unix()]
      for client in clients { client.post(VectorClient.request("camera.scanMRZ", id: "1")) }
      for client in clients { await client.connection.wait { _ in handler.begun.withLock { $0 } == 3 } }
      for (index, client) in clients.dropLast().enumerated() {
        client.connection.hangUp()
        #expect(await client.connection.wait { _ in handler.cancelled.withLock { $0 } == index + 1 })
      }
      #expect(clients[2].connection.isOpen)
      #expect(handler.cancelled.withLock { $0 } == 2)
    }
    // The last client disconnected when the body ended, which cancels its request later.
    try await eventually { handler.cancelled.withLock({ $0 }) >= 3 }
    #expect(handler.cancelled.withLock { $0 } == 3)
  }

  /// A StreamWriter of .NET with Encoding.UTF8 begins with one (microsoft/vs-streamjsonrpc #695).
  @Test("a byte order mark before a line is ignored")
  func byteOrderMark() async throws {
    try await ServiceUnderTest.with(.echo) { service in
      let program = try service.unix()
      program.post("\u{FEFF}" + VectorClient.request("analytics.trackEvent", ["a": 1], id: "1"))
      #expect(await program.answer(to: "1")?["success"] == true)
    }
  }

  @Test("a program that closes its sending side still receives its answers")
  func halfClosed() async throws {
    try await ServiceUnderTest.with(.echo) { service in
      let program = try service.unix()
      program.post(VectorClient.request("analytics.trackEvent", ["a": 1], id: "1"))
      program.post(VectorClient.request("analytics.trackEvent", ["a": 2], id: "2"))
      program.endSending()
      _ = try #require(await program.textUntilClosed())
      #expect(Set(program.messages.compactMap { $0["requestId"]?.stringValue }) == ["1", "2"])
      let silent = try service.unix()
      silent.endSending()
      #expect(await silent.textUntilClosed() == "")
    }
  }

  @Test("one connection scans at a time: a second one receives NFC_BUSY and cannot cancel the first scan")
  func exclusiveScan() async throws {
    let world = try VectorEnvironment(given: Self.neverADocument)
    try await ServiceUnderTest.with(world.router) { service in
      let (program, page) = (try service.unix(), try await service.webSocket())
      program.post(VectorClient.request("nfc.scan", Self.document, id: "scan"))
      await world.waitForScan()
      #expect(try await page.ask("nfc.scan", Self.document).errorCode == "NFC_BUSY")
      #expect(try await page.ask("nfc.cancelScan")["success"] == true)
      #expect(try await page.ask("nfc.scan", Self.document).errorCode == "NFC_BUSY")
      // Answers and events go to the requesting connection only.
      #expect(page.messages.allSatisfy { $0["type"] == "response" })
      await program.wait { $0.messages.count == 1 }
      #expect(program.messages.map { $0["type"] } == ["event"])
      program.hangUp()
      // The page can scan when the first scan is cancelled, which takes a moment.
      try await Self.scanUntilStarted(page)
      #expect(page.messages.contains { $0["type"] == "event" && $0["data"]?["step"] == "waiting_for_tag" })
    }
  }

  @Test("a page that is closed or sends lifecycle.dismiss releases the reader", arguments: ["close", "dismiss"])
  func readerIsFreed(_ end: String) async throws {
    let world = try VectorEnvironment(given: Self.neverADocument)
    try await ServiceUnderTest.with(world.router) { service in
      let (first, second) = (try await service.webSocket(), try await service.webSocket())
      first.post(VectorClient.request("nfc.scan", Self.document, id: "scan"))
      await world.waitForScan()
      #expect(try await second.ask("nfc.scan", Self.document).errorCode == "NFC_BUSY")
      if end == "close" {
        first.connection.send(WebSocketClient.frame(8, [0x03, 0xE9]))
        #expect(await first.connection.wait { !$0.isOpen })
      } else {
        #expect(try await first.ask("lifecycle.dismiss")["success"] == true)
        #expect(await first.answer(to: "scan")?.errorCode == "SCAN_ABORTED")
      }
      try await Self.scanUntilStarted(second)
      #expect(second.messages.contains { $0["type"] == "event" && $0["data"]?["step"] == "waiting_for_tag" })
    }
  }

  @Test("a request sees the writes of earlier requests of its connection, without waiting for answers")
  func order() async throws {
    let world = try VectorEnvironment()
    // All requests together may exceed the default rate.
    var limits = ServiceUnderTest.limits
    limits.requestBurst = 500
    try await ServiceUnderTest.with(world.router, limits: limits) { service in
      let page = try await service.webSocket()
      for turn in 1...100 {
        for (number, value) in ["a", "b"].enumerated() {
          page.post(
            VectorClient.request("secureStorage.set", ["key": "k", "value": .string(value)], id: "\(turn)-\(number)"))
        }
        page.post(VectorClient.request("secureStorage.get", ["key": "k"], id: "\(turn)-get"))
        page.post(VectorClient.request("documents.set", ["key": "d", "value": .string("\(turn)")], id: "\(turn)-d"))
        page.post(VectorClient.request("documents.get", ["key": "d"], id: "\(turn)-document"))
        #expect(await page.answer(to: "\(turn)-get")?["data"] == ["value": "b"])
        #expect(await page.answer(to: "\(turn)-document")?["data"] == .string("\(turn)"))
      }
    }
  }

  @Test("sends an answer after all events of its request, whichever threads send them")
  func eventsBeforeAnswer() async throws {
    let events = (0..<500).map { JSONValue.integer($0) }
    try await ServiceUnderTest.with(MessageRouter(handlers: [EventHandler(events: events)])) { service in
      let clients: [any TestClient] = [try service.unix(), try await service.webSocket()]
      for client in clients {
        for turn in 1...10 {
          client.post(VectorClient.request("camera.scanMRZ", id: "\(turn)"))
          _ = try #require(await client.answer(to: "\(turn)"))
          let messages = client.messages.suffix(events.count + 1)
          #expect(messages.dropLast().map { $0["data"] } == events)
          #expect(messages.last?["requestId"]?.stringValue == "\(turn)")
        }
        #expect(client.messages.count == 10 * (events.count + 1))
      }
    }
  }

  @Test("the next message cancels a scan")
  func stoppedAtOnce() async throws {
    let world = try VectorEnvironment(given: Self.neverADocument)
    try await ServiceUnderTest.with(world.router) { service in
      let program = try service.unix()
      for turn in 1...50 {
        program.post(VectorClient.request("nfc.scan", Self.document, id: "scan-\(turn)"))
        program.post(VectorClient.request("nfc.cancelScan", id: "stop-\(turn)"))
        #expect(await program.answer(to: "scan-\(turn)")?.errorCode == "SCAN_ABORTED")
        #expect(await program.answer(to: "stop-\(turn)")?["success"] == true)
      }
    }
  }

  @Test("a service that stops answers the requests under way, and sends every client the reason")
  func gracefulStop() async throws {
    let world = try VectorEnvironment(given: Self.neverADocument)
    let service = try await ServiceUnderTest(world.router)
    let (program, page) = (try service.unix(), try await service.webSocket())
    #expect(try await page.ask("lifecycle.ready")["success"] == true)
    program.post(VectorClient.request("nfc.scan", Self.document, id: "scan"))
    await world.waitForScan()
    await service.stop()
    let text = try #require(await program.textUntilClosed())
    let messages = JSONValue.lines(text)
    #expect(messages.map { $0["type"] } == ["event", "response", "event"])
    #expect(messages[1].errorCode == "SCAN_ABORTED")
    #expect(messages.last?["data"]?["code"] == "SERVICE_STOPPING")
    let frame = await page.closeFrame()
    #expect(frame?.closeCode == 1001)
    #expect(frame?.closeReason == "SERVICE_STOPPING")
    #expect(throws: Failure.self) { try service.unix() }
    // Child processes that are being started may have copies of the socket for a moment.
    #expect(await page.connection.wait { _ in (try? RawConnection.loopback(service.port)) == nil })
  }

  @Test("a request that ignores its cancellation delays the stop for a bounded time")
  func stubbornRequest() async throws {
    let handler = StubbornHandler()
    let service = try await ServiceUnderTest(
      MessageRouter(handlers: [handler]), limits: LimitTests.limits { $0.stoppingTime = .milliseconds(200) })
    let program = try service.unix()
    program.post(VectorClient.request("camera.scanMRZ", id: "1"))
    await handler.begun.wait()
    await service.stop()
    #expect(await LimitTests.closing(program) == "SERVICE_STOPPING")
    await handler.end.open()
  }

  @Test("a program embeds the service with its defaults, and stops it by cancelling the task")
  func embedding() async throws {
    let folder = try TemporaryFolder()
    let (ready, onReady) = AsyncStream.makeStream(of: String.self)
    let service = BridgeService(ServiceConfiguration(socketPath: folder.file("run/bridge.sock")), router: .echo) {
      onReady.yield($0.socketPath)
    }
    let running = Task { try await service.run() }
    let path = try #require(await ready.first { _ in true })
    let program = try RawConnection.unix(path)
    #expect(try await program.ask("analytics.trackEvent", ["a": 1])["data"] == ["a": 1])
    running.cancel()
    try await running.value
    #expect(await LimitTests.closing(program) == "SERVICE_STOPPING")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("two services cannot use the same path")
  func onePath() async throws {
    let folder = try TemporaryFolder()
    let configuration = ServiceConfiguration(socketPath: folder.file("run/bridge.sock"))
    let first = try await BridgeServer.start(configuration, router: .echo)
    await #expect { _ = try await BridgeServer.start(configuration, router: .echo) } throws: {
      Failure($0).kind == .usage && Failure($0).cause.hasPrefix("Another service is running")
    }
    #expect(try await RawConnection.unix(first.socketPath).ask("analytics.trackEvent")["success"] == true)
    await first.stop()
  }

  @Test("refuses the path of another file or service, and a folder that other users can write to")
  func foreignPath() async throws {
    let folder = try TemporaryFolder()
    func starts(_ path: String) async throws -> Bool {
      do {
        let server = try await BridgeServer.start(ServiceConfiguration(socketPath: path), router: .echo)
        await server.stop()
        return true
      } catch let failure as Failure where failure.kind == .usage {
        return false
      }
    }
    try FileManager.default.createDirectory(atPath: folder.file("run"), withIntermediateDirectories: true)
    try "mine".write(toFile: folder.file("run/bridge.sock"), atomically: false, encoding: .utf8)
    #expect(try await !starts(folder.file("run/bridge.sock")))
    #expect(try String(contentsOfFile: folder.file("run/bridge.sock"), encoding: .utf8) == "mine")
    try FileManager.default.removeItem(atPath: folder.file("run/bridge.sock"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("run/bridge.sock"), withDestinationPath: folder.file("elsewhere"))
    #expect(try await !starts(folder.file("run/bridge.sock")))
    try FileManager.default.removeItem(atPath: folder.file("run/bridge.sock"))
    // systemd may listen for a service that it has not started yet.
    let listener = try #require(Listener(folder.file("run/bridge.sock")))
    #expect(try await !starts(folder.file("run/bridge.sock")))
    listener.stop()
    #expect(try await starts(folder.file("run/bridge.sock")))
    chmod(folder.file("run"), 0o777)
    #expect(try await !starts(folder.file("run/bridge.sock")))
    #expect(try await !starts(folder.file(String(repeating: "x", count: 100) + "/bridge.sock")))
    var status = stat()
    #expect(try await starts(folder.file("new/bridge.sock")))
    #expect(stat(folder.file("new"), &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test("child processes do not inherit the sockets of the service")
  func inheritance() async throws {
    try await ServiceUnderTest.with(.echo) { service in
      let (page, program) = (try await service.webSocket(), try service.unix())
      for client in [page as any TestClient, program] {
        #expect(try await client.ask("analytics.trackEvent")["success"] == true)
      }
      // Two listening and two accepted sockets.
      let kept = (0..<4_096).filter { Self.isServed(Int32($0), service) }.map { fcntl(Int32($0), F_GETFD) & FD_CLOEXEC }
      #expect(kept == [FD_CLOEXEC, FD_CLOEXEC, FD_CLOEXEC, FD_CLOEXEC])
      withExtendedLifetime((page, program)) {}
    }
  }

  /// Whether the descriptor is a socket of the service.
  private static func isServed(_ descriptor: Int32, _ service: ServiceUnderTest) -> Bool {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        getsockname(descriptor, address, &length) == 0
      else { return false }
      switch Int32(bytes.loadUnaligned(as: sa_family_t.self)) {
      case AF_INET: return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) == service.port
      case AF_UNIX: return String(decoding: bytes[2...].prefix { $0 != 0 }, as: UTF8.self) == service.server.socketPath
      default: return false
      }
    }
  }

  @Test("serves metrics in the Prometheus text format on a separate socket")
  func metrics() async throws {
    let world = try VectorEnvironment()
    let grants = ["\(ServiceUnderTest.origin)=lifecycle"]
    try await ServiceUnderTest.with(world.router, grants: grants, hasMetrics: true) { service in
      let page = try await service.webSocket()
      try await page.ask("lifecycle.ready")
      try await page.ask("crypto.sign")
      try await service.unix().ask("secureStorage.get")
      _ = try await service.http(WebSocketClient.request(port: service.port, origins: ["http://evil.test"]))
      let text = try #require(try await service.metrics())
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      for line in [
        #"tessera_requests_total{domain="lifecycle",code="OK"} 1"#,
        #"tessera_requests_total{domain="secureStorage",code="MISSING_KEY"} 1"#,
        #"tessera_requests_refused_total{domain="crypto",code="NOT_ALLOWED"} 1"#,
        #"tessera_connections_refused_total{reason="ORIGIN"} 1"#, #"tessera_connections_open{caller="web"} 1.0"#,
        #"tessera_request_seconds_count{domain="lifecycle"} 1"#, "# TYPE tessera_request_seconds histogram",
      ] { #expect(text.contains(line + "\n"), "\(line)") }
    }
  }
}

/// Sends events from another thread while it blocks the event loop, so that the event loop sends the answer directly
/// after the last event.
private struct EventHandler: BridgeHandler {
  let domain = BridgeDomain.camera
  let events: [JSONValue]

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    sendEvents(emit)
    return nil
  }

  private func sendEvents(_ emit: @escaping @Sendable (String, JSONValue) -> Void) {
    let end = DispatchSemaphore(value: 0)
    let thread = Thread { [events] in
      for event in events { emit("progress", event) }
      end.signal()
    }
    thread.start()
    end.wait()
  }
}

/// Ends on request, and ignores cancellation.
private struct StubbornHandler: BridgeHandler {
  let domain = BridgeDomain.camera
  let begun = Gate()
  let end = Gate()

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    await begun.open()
    await end.wait()
    return nil
  }
}

/// Another process that listens at a path.
private struct Listener {
  private let descriptor: Int32

  init?(_ path: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8.prefix(107))) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(descriptor, 1) == 0 else { return nil }
  }

  func stop() {
    // Child processes of other tests may have copies of the socket for a moment.
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }
}
