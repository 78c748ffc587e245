import PassageSocket
import TesseraHTTPClient
import TesseraJSON
import TesseraThreads
import Testing

extension RealPrograms {
  @Suite("Servers that violate a protocol", .timeLimit(.minutes(5)))
  struct HostileServerTests {
    /// The end of a client that is not to try again. Its connection is closed then.
    private static func end(_ what: String, change: (inout SocketConfiguration) -> Void = { _ in }) async throws
      -> SocketError?
    {
      let server = try await Controller.hostile(what)
      let client = try await Client(server) { configuration in
        configuration.limits.message = 64 << 10
        configuration.reconnection = SocketReconnection(maximumAttempts: 0)
        change(&configuration)
      }
      let end = await client.end()
      if !["reset", "end"].contains(what) { #expect(await server.lines("end").count == 1) }
      #expect(try await server.all("accepted").count == 1)
      return end
    }

    @Test(
      "frames of WebSocket",
      arguments: [
        ("masked", .masked), ("reserved", .reservedBits), ("type", .unknownType), ("control type", .unknownType),
        ("huge", .tooLarge), ("largest", .tooLarge), ("long", .tooLarge), ("long by fragments", .tooLarge),
        ("fragments", .tooLarge), ("no beginning", .fragmentation), ("two beginnings", .fragmentation),
        ("binary in the middle", .fragmentation), ("binary by fragments", .tooLarge), ("long binary", .tooLarge),
        ("no text", .malformedText), ("short close", .malformedClose),
        ("invalid code", .malformedClose), ("ping in fragments", .fragmentation), ("long ping", .controlLength),
      ] as [(String, SocketError.FrameViolation)])
    func frames(_ what: String, _ violation: SocketError.FrameViolation) async throws {
      #expect(try await Self.end(what) == .invalidFrame(violation))
    }

    @Test(
      "packets of Engine.IO and Socket.IO",
      arguments: [
        ("no packet", .engineType), ("empty", .engineType), ("no handshake", .handshake), ("no time", .handshake),
        ("no JSON", invalidJSON("{")), ("too early", .unexpected),
        ("two opens", .unexpected), ("many early events", .tooManyEarlyEvents(limit: 64)), ("no event", .payload),
        ("binary", .unannounced), ("unannounced", .unannounced), ("one attachment too many", .unannounced),
        ("unannounced base64", .unannounced), ("event instead of an attachment", .missingAttachment),
        ("attachments in attachments", .missingAttachment), ("many attachments", .attachments),
        ("no count", .attachments),
        (
          "deep",
          invalidJSON(#"["command","# + String(repeating: "[", count: 64))
        ),
      ] as [(String, SocketProtocolError)])
    func packets(_ what: String, _ error: SocketProtocolError) async throws {
      #expect(try await Self.end(what) == .invalidMessage(error))
    }

    @Test(
      "responses to the handshake of the WebSocket",
      arguments: [
        ("garbage", .noWebSocket), ("forbidden", .http(.status(403))), ("moved", .http(.status(302))),
        ("success", .http(.status(200))), ("long head", .noWebSocket), ("no upgrade", .noWebSocket),
        ("two heads", .http(.status(200))), ("other key", .noWebSocket), ("other protocol", .noWebSocket),
        ("extension", .noWebSocket), ("no connection", .noWebSocket),
      ] as [(String, SocketError)])
    func responses(_ what: String, _ error: SocketError) async throws {
      #expect(try await Self.end(what) == error)
    }

    @Test(
      "ends that a later attempt may mend",
      arguments: [
        ("failing", .http(.status(503))), ("reset", .interrupted), ("end", .interrupted),
        ("close", .closedByServer(code: 4001)), ("engine close", .closedByServer(code: nil)),
        ("silent", .silent(.milliseconds(100))),
      ] as [(String, SocketError)])
    func transient(_ what: String, _ error: SocketError) async throws {
      #expect(try await Self.end(what) == error)
      #expect(error.isTransient)
    }

    @Test(
      "ends that the server wants",
      arguments: [("removed", .disconnectedByServer), ("refused", .refused(message: "bad token"))]
        as [(String, SocketError)])
    func final(_ what: String, _ error: SocketError) async throws {
      #expect(try await Self.end(what) { $0.reconnection = SocketReconnection() } == error)
    }

    @Test("a server that never answers", arguments: [("mute", SocketError.Phase.upgrading), ("nothing", .joining)])
    func silence(_ what: String, _ phase: SocketError.Phase) async throws {
      let limit = Duration.milliseconds(300)
      let end = try await Self.end(what) { configuration in
        configuration.timeLimits.upgrading = phase == .upgrading ? limit : .seconds(600)
        configuration.timeLimits.joining = phase == .joining ? limit : .seconds(600)
      }
      #expect(end == .timeLimit(phase, limit))
    }

    @Test("a server that sends more than is read", arguments: ["flood", "acknowledgements", "pings", "engine pings"])
    func floods(_ what: String) async throws {
      let server = try await Controller.hostile(what)
      let client = try await Client(server)
      // The flood is over before the events are read.
      _ = await server.lines("end")
      let events = await client.read { $0.isEnd }
      #expect(events.last == .ended(.flooded))
      #expect(events.count <= 1_026)
      #expect(events.first?.session?.number == 1)
      #expect(try await server.all("accepted").count == 1)
    }

    @Test("a reader that keeps up gets everything")
    func keepingUp() async throws {
      let server = try await Controller.hostile("flood")
      let client = try await Client(server) {
        $0.limits.unreadBytes = 64 << 20
        $0.limits.unreadEvents = 1_000_000
      }
      let counted = Counter()
      _ = await client.read { event in
        counted.add(event.message?.event == SocketEvent("command", [["id": "c"]]) ? 1 : 0) >= 20_000
      }
      #expect(counted.add(0) == 20_000)
      await client.socket.close()
    }

    @Test("the first packets may come together with the response of the handshake")
    func together() async throws {
      let server = try await Controller.hostile("together")
      let client = try await Client(server)
      #expect(await client.connected()?.identifier == "s1")
      #expect(await client.message()?.event == SocketEvent("command", [["id": "c"]]))
      await client.socket.close()
    }

    @Test("packets of other namespaces are ignored")
    func otherNamespaces() async throws {
      let server = try await Controller.hostile("other namespace")
      let client = try await Client(server)
      let events = await client.read { $0.message != nil }
      #expect(events.count == 2)
      #expect(events.last?.message?.event == SocketEvent("command", [["id": "c"]]))
      await client.socket.close()
    }

    @Test("packets with attachments are ignored, and what follows is read")
    func attachments() async throws {
      let server = try await Controller.hostile("attachments")
      let client = try await Client(server)
      let unread = try #require(await client.message())
      #expect(unread.event == .unread)
      // As every event that wants it.
      try await client.socket.acknowledge(unread)
      #expect(await client.message()?.event == SocketEvent("command", [["id": "c"]]))
      await client.socket.close()
      let frames = await server.lines("frame", 6).map { $0["data"] }
      #expect(frames == ["40/ws,", "3", "between", "43/ws,7[]", "41/ws,", "\u{3}\u{E8}"])
    }

    @Test("attachments before the confirmation, and a packet that announces none")
    func otherAttachments() async throws {
      for (what, first) in [
        ("attachments before the confirmation", SocketEvent.unread),
        ("no attachments", SocketEvent("command", [["id": "c"]])),
      ] {
        let server = try await Controller.hostile(what)
        let client = try await Client(server)
        #expect(await client.message()?.event == first)
        await client.socket.close()
        #expect(try await server.all("accepted").count == 1)
      }
    }

    @Test("fragments, a ping between them, and what the client sends: masked, and a close handshake at the end")
    func fragments() async throws {
      let server = try await Controller.hostile("in fragments")
      let client = try await Client(server)
      #expect(await client.message()?.event == SocketEvent("command", [["id": "ü"]]))
      try await client.socket.emit(SocketEvent("modalExit", [["timestamp": "2030-01-02T03:04:05Z"]]))
      await client.socket.close()
      let frames = await server.lines("frame", 5)
      #expect(frames.allSatisfy { $0["masked"] == true })
      #expect(frames.map { $0["frame"] } == [0x81, 0x8A, 0x81, 0x81, 0x88])
      #expect(
        frames.map { $0["data"] } == [
          "40/ws,", "between", #"42/ws,["modalExit",{"timestamp":"2030-01-02T03:04:05Z"}]"#, "41/ws,", "\u{3}\u{E8}",
        ])
      let request = try #require(await server.lines("request").first)
      #expect(request["request"] == "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1")
      #expect(request["headers"]?["host"] == .string("127.0.0.1:\(server.port)"))
      #expect(request["headers"]?["sec-websocket-version"] == "13")
      #expect(request["headers"]?["sec-websocket-extensions"] == nil)
      #expect(request["headers"]?["origin"] == nil)
    }

    @Test("a server that does not confirm the end cannot delay it")
    func unconfirmedEnd() async throws {
      // This one sends pings without an end, and reads nothing.
      let server = try await Controller.hostile("flood")
      let client = try await Client(server) { configuration in
        configuration.limits.unreadEvents = .max
        configuration.limits.unreadBytes = .max
        configuration.timeLimits.closing = .milliseconds(100)
      }
      #expect(await client.connected() != nil)
      await client.socket.close()
      #expect(await client.end() == nil)
      _ = await server.lines("end")
    }
  }
}

/// The error of a packet whose payload is this text.
private func invalidJSON(_ text: String) -> SocketProtocolError {
  do {
    _ = try JSONValue(text: text)
    return .payload
  } catch {
    return .json(error)
  }
}

/// A number that a closure counts up.
final class Counter: Sendable {
  private let count = Locked(0)

  @discardableResult func add(_ number: Int) -> Int {
    count.withLock { count in
      count += number
      return count
    }
  }
}
