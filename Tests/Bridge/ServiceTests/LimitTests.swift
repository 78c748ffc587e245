import BridgeVectors
import Foundation
import TesseraBridge
import TesseraService
import TestSupport
import Testing

@Suite("The service's limits")
struct LimitTests {
  static func limits(_ change: (inout ServiceLimits) -> Void) -> ServiceLimits {
    var limits = ServiceUnderTest.limits
    change(&limits)
    return limits
  }

  /// The last event of a connection on the Unix socket.
  static func closing(_ connection: RawConnection) async -> String? {
    guard let text = await connection.textUntilClosed(), let last = JSONValue.lines(text).last,
      last["type"] == "event", last["domain"] == "lifecycle", last["event"] == "closing"
    else { return nil }
    return last["data"]?["code"]?.stringValue
  }

  @Test("answers a message of the maximum length; a longer one without an identifier closes with 1009")
  func messageSize() async throws {
    let limits = Self.limits { $0.messageBytes = 10_000 }
    func message(_ length: Int) -> String {
      let frame = VectorClient.request("analytics.trackEvent", ["pad": ""], id: "1").utf8.count
      let pad = JSONValue.string(String(repeating: "x", count: length - frame))
      return VectorClient.request("analytics.trackEvent", ["pad": pad], id: "1")
    }
    try await ServiceUnderTest.with(.echo, limits: limits) { service in
      for client in [try service.unix() as any TestClient, try await service.webSocket()] {
        client.post(message(10_000))
        #expect(await client.answer(to: "1") != nil)
      }
      let nameless = String(repeating: "x", count: 10_001)
      let line = try service.unix()
      line.post(nameless)
      #expect(await Self.closing(line) == "MESSAGE_TOO_LARGE")
      // A line without an end is refused as soon as it is too long.
      let endless = try service.unix()
      endless.send(String(repeating: "x", count: 10_001))
      #expect(await Self.closing(endless) == "MESSAGE_TOO_LARGE")

      let page = try await service.webSocket()
      page.post(nameless)
      #expect(await page.closeFrame()?.closeCode == 1009)
      let pieces = try await service.webSocket()
      for (opcode, part) in [(UInt8(1), 6_000), (0, 6_000)] {
        pieces.connection.send(WebSocketClient.frame(opcode, [UInt8](repeating: 0x78, count: part), fin: false))
      }
      #expect(await pieces.closeFrame()?.closeCode == 1009)
      // The header suffices: the service does not wait for one tebibyte.
      let huge = try await service.webSocket()
      huge.connection.send([0x81, 0xFF, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4])
      let frame = await huge.closeFrame()
      #expect(frame?.closeCode == 1009)
      #expect(frame?.closeReason == "MESSAGE_TOO_LARGE")
    }
  }

  @Test("a message without an identifier that is nested too deeply closes with 1008")
  func nesting() async throws {
    let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
    try await ServiceUnderTest.with(.echo) { service in
      let line = try service.unix()
      line.post(deep)
      #expect(await Self.closing(line) == "NESTING_TOO_DEEP")
      let page = try await service.webSocket()
      page.post(deep)
      let frame = await page.closeFrame()
      #expect(frame?.closeCode == 1008)
      #expect(frame?.closeReason == "NESTING_TOO_DEEP")
    }
  }

  @Test("answers requests beyond the limit of requests under way with TOO_MANY_REQUESTS")
  func requestsInFlight() async throws {
    let handler = WaitingHandler()
    let limits = Self.limits { $0.requestsInFlight = 3 }
    try await ServiceUnderTest.with(MessageRouter(handlers: [handler]), limits: limits) { service in
      for client in [try service.unix() as any TestClient, try await service.webSocket()] {
        for id in 1...5 { client.post(VectorClient.request("camera.scanMRZ", id: "\(id)")) }
        for id in 4...5 { #expect(await client.answer(to: "\(id)")?.errorCode == "TOO_MANY_REQUESTS") }
        #expect(client.messages.count == 2)
        client.connection.hangUp()
      }
    }
    // A client that disconnects cancels its requests, which end a moment later.
    try await eventually { handler.cancelled.withLock({ $0 }) >= 6 }
    #expect(handler.begun.withLock { $0 } == 6)
    #expect(handler.cancelled.withLock { $0 } == 6)
  }

  @Test("limits the rate of one origin over all its connections, and not that of others")
  func rate() async throws {
    let limits = Self.limits { limits in
      limits.requestsPerSecond = 0
      limits.requestBurst = 10
      limits.requestsInFlight = 100
    }
    let other = "https://other.test"
    let grants = [ServiceUnderTest.origin, other].map { "\($0)=analytics" }
    try await ServiceUnderTest.with(.echo, grants: grants, limits: limits) { service in
      let pages = [try await service.webSocket(), try await service.webSocket()]
      for page in pages { for id in 1...15 { page.post(VectorClient.request("analytics.trackEvent", id: "\(id)")) } }
      for page in pages { for id in 1...15 { #expect(await page.answer(to: "\(id)") != nil) } }
      let served = pages.flatMap(\.messages).count { $0["success"] == true }
      #expect(served == 10)
      #expect(pages.flatMap(\.messages).count { $0.errorCode == "TOO_MANY_REQUESTS" } == 20)
      #expect(try await service.webSocket(origin: other).ask("analytics.trackEvent")["success"] == true)
      let program = try service.unix()
      for _ in 1...30 { #expect(try await program.ask("analytics.trackEvent")["success"] == true) }
    }
  }

  @Test("closes a flooding origin with 1008, and counts large messages as several")
  func flood() async throws {
    let limits = Self.limits { limits in
      limits.requestsPerSecond = 0
      limits.requestBurst = 5
      limits.rateBytes = 1_000
      limits.requestDebt = 20
    }
    let other = "https://other.test"
    let grants = [ServiceUnderTest.origin, other].map { "\($0)=analytics" }
    try await ServiceUnderTest.with(.echo, grants: grants, limits: limits) { service in
      let page = try await service.webSocket()
      for id in 1...25 { page.post(VectorClient.request("analytics.trackEvent", id: "\(id)")) }
      #expect(await page.answer(to: "5")?["success"] == true)
      #expect(await page.answer(to: "25")?.errorCode == "TOO_MANY_REQUESTS")
      #expect(page.connection.isOpen)
      page.post("no request at all")
      let frame = await page.closeFrame()
      #expect(frame?.closeCode == 1008)
      #expect(frame?.closeReason == "TOO_MANY_REQUESTS")
      // Invalid messages count by their length, too.
      let garbage = try await service.webSocket(origin: other)
      garbage.post(String(repeating: "x", count: 26_000))
      #expect(await garbage.closeFrame()?.closeReason == "TOO_MANY_REQUESTS")
      #expect(try await service.unix().ask("analytics.trackEvent")["success"] == true)
    }
  }

  @Test("closes connections beyond the limit with a reason")
  func connections() async throws {
    let limits = Self.limits { limits in
      limits.connections = 3
      limits.connectionsPerOrigin = 2
    }
    let other = "https://other.test"
    let grants = [ServiceUnderTest.origin, other].map { "\($0)=analytics" }
    try await ServiceUnderTest.with(.echo, grants: grants, limits: limits) { service in
      let pages = [try await service.webSocket(), try await service.webSocket()]
      let third = try await service.webSocket()
      let frame = await third.closeFrame()
      #expect(frame?.closeCode == 1013)
      #expect(frame?.closeReason == "TOO_MANY_CONNECTIONS")
      let fourth = try await service.webSocket(origin: other)
      let fifth = try await service.webSocket(origin: other)
      #expect(await fifth.closeFrame()?.closeReason == "TOO_MANY_CONNECTIONS")
      // Connections of pages do not count for programs.
      let programs = try (0..<3).map { _ in try service.unix() }
      for program in programs { #expect(try await program.ask("analytics.trackEvent")["success"] == true) }
      #expect(service.server.connectionCount == 6)
      let another = try service.unix()
      #expect(await Self.closing(another) == "TOO_MANY_CONNECTIONS")
      for page in pages + [fourth] { #expect(try await page.ask("analytics.trackEvent")["success"] == true) }
    }
  }

  @Test("pending handshakes do not count as connections, and the oldest one is closed first")
  func waitingHandshakes() async throws {
    let limits = Self.limits { limits in
      limits.connections = 4
      limits.handshakes = 8
    }
    try await ServiceUnderTest.with(.echo, limits: limits) { service in
      var strangers: [RawConnection] = []
      for index in 0..<20 {
        let stranger = try RawConnection.loopback(service.port)
        stranger.send("GET /bridge HTTP/1.1\r\nHost:")
        strangers.append(stranger)
        // Each handshake is pending before the next one starts.
        if index >= 8 { #expect(await strangers[index - 8].textUntilClosed()?.hasPrefix("HTTP/1.1 503 ") == true) }
      }
      #expect(strangers.suffix(8).count { $0.isOpen } == 8)
      let programs = try (0..<4).map { _ in try service.unix() }
      for program in programs { #expect(try await program.ask("analytics.trackEvent")["success"] == true) }
      #expect(try await service.webSocket().ask("analytics.trackEvent")["success"] == true)
    }
  }

  @Test("closes the connections of a caller with the most unread bytes, and not one that reads")
  func unreadOfOneCaller() async throws {
    let limits = Self.limits { $0.outgoingBytesOfPrograms = 400_000 }
    let router = MessageRouter(handlers: [LargeHandler(bytes: 100_000), EchoHandler(domain: .analytics)])
    try await ServiceUnderTest.with(router, limits: limits) { service in
      let reading = try service.unix()
      // Each one stays below the limit of one connection.
      let silent = try (0..<10).map { _ in try service.unix(reads: false) }
      for client in silent {
        for id in 1...15 { client.post(VectorClient.request("documents.list", id: "\(id)")) }
        #expect(try await reading.ask("documents.list")["success"] == true)
      }
      // Each has at least one unread answer, since the service then stops reading its requests. The limit permits
      // three.
      #expect(await reading.wait { _ in service.server.connectionCount <= 4 })
      #expect(try await reading.ask("analytics.trackEvent")["success"] == true)
    }
  }

  @Test("charges long lists and large answers to the rate of their origin")
  func cost() async throws {
    let limits = Self.limits { limits in
      limits.requestsPerSecond = 0
      limits.requestBurst = 40
      // Enough for all answers, so that a slow client is not closed.
      limits.outgoingBytes = 8 << 20
    }
    for (handler, name) in [
      (ListHandler(count: 10_000) as any BridgeHandler, "a list"), (LargeHandler(bytes: 3 << 20), "bytes"),
    ] {
      try await ServiceUnderTest.with(MessageRouter(handlers: [handler]), limits: limits) { service in
        let page = try await service.webSocket()
        // Sent before the cost of the first one is known.
        for id in 1...3 { page.post(VectorClient.request("documents.list", id: "\(id)")) }
        #expect(await page.answer(to: "1")?["success"] == true, "\(name)")
        for id in 2...3 { #expect(await page.answer(to: "\(id)")?.errorCode == "TOO_MANY_REQUESTS", "\(name)") }
        let other = try await service.webSocket()
        #expect(try await other.ask("documents.list").errorCode == "TOO_MANY_REQUESTS", "\(name)")
        // The charge alone does not close the connection.
        #expect(page.connection.isOpen && other.connection.isOpen)
        let program = try service.unix()
        for _ in 1...2 { #expect(try await program.ask("documents.list")["success"] == true) }
      }
    }
  }

  @Test("closes an idle connection with 1000, and not one with a request under way")
  func idleTime() async throws {
    let limits = Self.limits { $0.idleTime = .milliseconds(300) }
    let handler = WaitingHandler()
    let router = MessageRouter(handlers: [handler, EchoHandler(domain: .analytics)])
    try await ServiceUnderTest.with(router, limits: limits) { service in
      // On a busy machine a connection can be closed before its request arrives.
      var busy: RawConnection
      repeat {
        busy = try service.unix()
        busy.post(VectorClient.request("camera.scanMRZ", id: "1"))
        await busy.wait(within: 600) { !$0.isOpen || handler.begun.withLock { $0 } > 0 }
      } while handler.begun.withLock({ $0 }) == 0
      let line = try service.unix()
      #expect(await Self.closing(line) == "IDLE")
      let page = try await service.webSocket()
      let frame = await page.closeFrame()
      #expect(frame?.closeCode == 1000)
      #expect(frame?.closeReason == "IDLE")
      #expect(busy.isOpen)
    }
  }

  @Test("closes a client that does not read, without delaying others")
  func slowReader() async throws {
    let limits = Self.limits { limits in
      limits.outgoingBytes = 1 << 18
      limits.closingTime = .milliseconds(500)
    }
    // A few times the capacity of the socket and the service. More would be slow with a sanitizer.
    let router = MessageRouter(handlers: [LargeHandler(bytes: 100_000), EchoHandler(domain: .analytics)])
    try await ServiceUnderTest.with(router, limits: limits, hasMetrics: true) { service in
      let slow = try service.unix(reads: false)
      // All requests in one write: the service stops reading requests when the first answers are unread.
      slow.post((1...12).map { VectorClient.request("documents.list", id: "\($0)") }.joined(separator: "\n"))
      let other = try service.unix()
      for _ in 1...50 { #expect(try await other.ask("analytics.trackEvent")["success"] == true) }
      #expect(await other.wait { _ in service.server.connectionCount == 1 })
      // The data in the socket buffer and then the end of the stream, but not all answers.
      slow.beginReading()
      let text = try #require(await slow.textUntilClosed())
      #expect(text.utf8.count < 12 * 100_000)
      let metrics = try await service.metrics()
      #expect(metrics?.contains(#"tessera_connections_closed_total{reason="SLOW_READER"} 1"#) == true)
    }
  }

  @Test("a slow reader receives all answers, and its requests wait meanwhile")
  func backpressure() async throws {
    let router = MessageRouter(handlers: [LargeHandler(bytes: 100_000)])
    try await ServiceUnderTest.with(router, limits: Self.limits { $0.outgoingBytes = 4 << 20 }) { service in
      let slow = try service.unix(reads: false)
      for id in 1...12 { slow.post(VectorClient.request("documents.list", id: "\(id)")) }
      try await Task.sleep(for: .milliseconds(200))
      slow.beginReading()
      #expect(await slow.answer(to: "12") != nil)
      #expect(Set(slow.messages.compactMap { $0["requestId"]?.stringValue }).count == 12)
    }
  }

  @Test("closes a handshake that takes too long, and not a connection that was upgraded in time")
  func handshakeTime() async throws {
    let limits = Self.limits { $0.handshakeTime = .milliseconds(500) }
    try await ServiceUnderTest.with(.echo, limits: limits) { service in
      let silent = try RawConnection.loopback(service.port)
      #expect(await silent.textUntilClosed()?.hasPrefix("HTTP/1.1 408 ") == true)
      let slow = try RawConnection.loopback(service.port)
      slow.send("GET /bridge HTTP/1.1\r\nHost:")
      #expect(await slow.textUntilClosed()?.hasPrefix("HTTP/1.1 408 ") == true)
      // A busy machine may exceed the short handshake time.
      var page: WebSocketClient?
      for _ in 1...50 where page == nil { page = try? await service.webSocket() }
      try await Task.sleep(for: .seconds(1))
      #expect(try await page?.ask("analytics.trackEvent")["success"] == true)
    }
  }

  @Test("closes a handshake that is too long")
  func handshakeBytes() async throws {
    try await ServiceUnderTest.with(.echo, limits: Self.limits { $0.handshakeBytes = 4_096 }) { service in
      let long = try RawConnection.loopback(service.port)
      long.send("GET /bridge HTTP/1.1\r\n" + String(repeating: "X-Header: value\r\n", count: 1_000))
      let answer = await long.textUntilClosed()
      #expect(answer?.hasPrefix("HTTP/1.1 431 ") == true)
      // Without this header, a page of any site could detect the service.
      #expect(answer?.contains("\r\nCross-Origin-Resource-Policy: same-origin\r\n") == true)
    }
  }

  @Test(
    "closes with the status code for each violation of RFC 6455",
    arguments: [
      (WebSocketClient.frame(2, [1, 2, 3]), 1003), (WebSocketClient.frame(1, [0xFF, 0xFE]), 1007),
      (WebSocketClient.frame(1, Array("{}".utf8), masked: false), 1002),
      (WebSocketClient.frame(0, Array("{}".utf8)), 1002), (WebSocketClient.frame(3, []), 1002),
      ([0xC1, 0x80, 1, 2, 3, 4], 1002), (WebSocketClient.frame(9, [], fin: false), 1002),
      (WebSocketClient.frame(9, [UInt8](repeating: 0, count: 126)), 1002),
      (WebSocketClient.frame(1, [0x7B], fin: false) + WebSocketClient.frame(1, [0x7D]), 1002),
    ] as [([UInt8], Int)])
  func forbiddenFrames(_ bytes: [UInt8], _ code: Int) async throws {
    try await ServiceUnderTest.with(.echo) { service in
      let page = try await service.webSocket()
      page.connection.send(bytes)
      #expect(await page.closeFrame()?.closeCode == code)
      #expect(await page.connection.wait { !$0.isOpen })
    }
  }

  @Test("answers pings, joins fragments into one message, and answers a close frame with its code")
  func frames() async throws {
    try await ServiceUnderTest.with(.echo) { service in
      let page = try await service.webSocket()
      page.connection.send(WebSocketClient.frame(9, Array("are you there".utf8)))
      let text = Array(VectorClient.request("analytics.trackEvent", ["a": "ä"], id: "1").utf8)
      page.connection.send(WebSocketClient.frame(1, text[..<40], fin: false))
      page.connection.send(WebSocketClient.frame(9, []))
      page.connection.send(WebSocketClient.frame(0, text[40..<41], fin: false))
      page.connection.send(WebSocketClient.frame(0, text[41...]))
      #expect(await page.answer(to: "1")?["data"] == ["a": "ä"])
      #expect(page.frames.filter { $0.opcode == 10 }.map(\.text) == ["are you there", ""])
      page.connection.send(WebSocketClient.frame(8, [0x03, 0xE8]))
      #expect(await page.closeFrame()?.closeCode == 1000)
      #expect(await page.connection.wait { !$0.isOpen })
    }
  }
}
