import PassageSocket
import TesseraJSON
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Events in both directions", .timeLimit(.minutes(5)))
  struct EventTests {
    private static let texts: JSONValue = [
      "umlauts": "Grüße", "emoji": "👩‍🚀", "escapes": "\"\\\n\u{0}\u{2028}</script>", "right to left": "שלום",
      "numbers": [0, -1, 9_007_199_254_740_993], "nested": [[["a"]], ["b": nil, "c": true]],
    ]

    @Test("events arrive as they were sent, in their order")
    func values() async throws {
      let server = try await Controller.server()
      let client = try await Client(server)
      #expect(await client.connected() != nil)
      try await client.socket.emit(SocketEvent("appStateUpdate", [Self.texts]))
      try await client.socket.emit(SocketEvent("commandResult", [1, nil, "zwei"]))
      try await client.socket.emit(SocketEvent("modalExit"))
      let lines = await server.lines("event", 3)
      #expect(lines.map { $0["event"] } == ["appStateUpdate", "commandResult", "modalExit"])
      #expect(lines.map { $0["data"] } == [[Self.texts], [1, nil, "zwei"], []])

      for number in 1...20 as ClosedRange<Int64> {
        try server.order(["emit": "command", "data": ["id": .integer(number), "text": Self.texts]])
      }
      for number in 1...20 as ClosedRange<Int64> {
        let message = try #require(await client.message())
        #expect(message.event == SocketEvent("command", [["id": .integer(number), "text": Self.texts]]))
        #expect(message.acknowledgement == nil)
      }
      await client.socket.close()
    }

    @Test("events with binary attachments are ignored, acknowledged if the server wants that, and the next event comes")
    func attachments() async throws {
      let server = try await Controller.server()
      let client = try await Client(server)
      #expect(await client.connected() != nil)
      for (name, lengths) in [
        ("command", [0]), ("other", [1, 500_000, 3]), ("command", Array(repeating: 10, count: 100)),
      ] {
        let attachments = JSONValue.array(lengths.map { .integer(Int64($0)) })
        try server.order(["emit": .string(name), "data": 1, "attachments": attachments])
        try server.order(["emit": .string(name), "data": 2, "attachments": attachments, "ack": true])
        try server.order(["emit": "command", "data": ["id": "c"]])
        let plain = try #require(await client.message())
        let asking = try #require(await client.message())
        #expect(plain.event == .unread && plain.acknowledgement == nil && asking.event == .unread)
        try await client.socket.acknowledge(asking)
        #expect(await client.message()?.event == SocketEvent("command", [["id": "c"]]))
      }
      #expect(await server.lines("acknowledged", 3).map { $0["acknowledged"] } == [[], [], []])
      await client.socket.close()
    }

    @Test("acknowledgements of the server")
    func acknowledged() async throws {
      let server = try await Controller.server()
      let client = try await Client(server)
      // The first one waits for the connection; the others are under way together.
      let confirmed = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<20 as Range<Int64> {
          group.addTask {
            let event = SocketEvent("question", [["number": .integer(number), "text": Self.texts]])
            let values = try await client.socket.emitAcknowledged(event, within: .seconds(60))
            return values == [["number": .integer(number), "text": Self.texts], "answered"]
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(confirmed == 20)
      #expect(try await server.all("event").count == 20)
      await client.socket.close()
    }

    @Test("an acknowledgement that does not come is an error, and the connection stays")
    func unacknowledged() async throws {
      let server = try await Controller.server()
      let client = try await Client(server)
      #expect(await client.connected() != nil)
      // Enough to send the event.
      let limit = Duration.seconds(3)
      #expect(
        await emissionError {
          _ = try await client.socket.emitAcknowledged(SocketEvent("unanswered", [1]), within: limit)
        } == .unconfirmed(limit))
      #expect(await server.events(1) == ["unanswered"])
      let values = try await client.socket.emitAcknowledged(SocketEvent("question", [2]), within: .seconds(60))
      #expect(values == [2, "answered"])
      await client.socket.close()
    }

    @Test("acknowledgements to the server, once each")
    func acknowledging() async throws {
      let server = try await Controller.server()
      let client = try await Client(server)
      #expect(await client.connected() != nil)
      _ = try await client.socket.emitAcknowledged(SocketEvent("question", [1]), within: .seconds(60))
      try server.order(["emit": "command", "data": ["id": "c-1"], "ack": true])
      try server.order(["emit": "command", "data": ["id": "c-2"], "ack": true])
      let first = try #require(await client.message())
      let second = try #require(await client.message())
      #expect(first.event.payload == ["id": "c-1"])
      try await client.socket.acknowledge(second, with: ["zweite", Self.texts])
      try await client.socket.acknowledge(first)
      #expect(await server.lines("acknowledged", 2).map { $0["acknowledged"] } == [["zweite", Self.texts], []])
      #expect(await emissionError { try await client.socket.acknowledge(first) } == .nothingToAcknowledge)
      // What was sent before this event is known when it has its answer.
      _ = try await client.socket.emitAcknowledged(SocketEvent("question", [2]), within: .seconds(60))
      #expect(try await server.all("acknowledged").count == 2)
      await client.socket.close()
      #expect(await emissionError { try await client.socket.acknowledge(second) } == .nothingToAcknowledge)
    }

    @Test("a greeting comes before all that waits, on every connection")
    func greeting() async throws {
      let port = try ReservedPort()
      var server = try await Controller.server(port: port.number)
      let client = try await Client("http://127.0.0.1:\(port.number)") { configuration in
        configuration.greeting = SocketEvent("appStateUpdate", ["hello"])
        configuration.reconnection = SocketReconnection(
          maximumAttempts: 600, firstWait: .milliseconds(100), longestWait: .milliseconds(100))
      }
      try await client.socket.emit(SocketEvent("modalExit"))
      #expect(await server.events(2) == ["appStateUpdate", "modalExit"])
      await server.kill()
      _ = await client.read { $0.lost != nil }
      let waiting = Task { await emissionError { try await client.socket.emit(SocketEvent("commandResult")) } }
      while await client.socket.unsentCount < 1 { await Task.yield() }
      server = try await Controller.server(port: port.number)
      #expect(await waiting.value == nil)
      #expect(await server.events(2) == ["appStateUpdate", "commandResult"])
      await client.socket.close()
    }

    @Test("events that the server sends before it accepts the client follow the connection")
    func early() async throws {
      let server = try await Controller.server(["early": ["welcome", "command"]])
      let client = try await Client(server)
      let events = await client.read { $0.message?.event.name == "command" }
      #expect(events.count == 3)
      #expect(events.first?.session != nil)
      #expect(events.dropFirst().map { $0.message?.event.name } == ["welcome", "command"])
      await client.socket.close()
    }

    @Test("a result of 3 MB, for a server that is known to accept it")
    func large() async throws {
      let server = try await Controller.server()
      let client = try await Client(server) { $0.limits.unnamedPayload = 16 << 20 }
      let page = JSONValue.string(String(repeating: "page ", count: 600 << 10))
      let values = try await client.socket.emitAcknowledged(SocketEvent("question", [page]), within: .seconds(60))
      #expect(values == [page, "answered"])
      #expect(try await server.all("connect").count == 1)
      await client.socket.close()
    }

    @Test(
      "results up to 1,000,000 bytes if the server names no limit, and up to 16 MB if that is known to be accepted",
      arguments: [1_000_000, EnginePacket.maximumLength])
    func largest(_ limit: Int) async throws {
      let server = try await Controller.hostile("joined")
      let client = try await Client(server) { if limit != 1_000_000 { $0.limits.unnamedPayload = limit } }
      #expect(await client.connected()?.handshake.maximumPayload == .some(nil))
      let frame = #"42/ws,["commandResult",""]"#
      let page = String(repeating: "x", count: limit - frame.utf8.count)
      try await client.socket.emit(SocketEvent("commandResult", [.string(page)]))
      #expect(
        await emissionError { try await client.socket.emit(SocketEvent("commandResult", [.string(page + "x")])) }
          == .tooLarge(limit: limit))
      // The connection was not touched by that.
      try await client.socket.emit(SocketEvent("modalExit"))
      let frames = await server.lines("frame", 3)
      #expect(frames.map { $0["length"] } == [6, .integer(Int64(limit)), 19])
      #expect(frames.map { $0["masked"] } == [true, true, true])
      #expect(frames.last?["data"] == #"42/ws,["modalExit"]"#)
      await client.socket.close()
    }

    @Test("a message beyond the server's limit fails, before and after the limit is known")
    func limits() async throws {
      let server = try await Controller.hostile("small")
      let event = SocketEvent("commandResult", [.string(String(repeating: "x", count: 100))])
      let client = try await Client(server)
      #expect(await emissionError { try await client.socket.emit(event) } == .tooLarge(limit: 100))
      #expect(await client.connected()?.handshake.maximumPayload == 100)
      #expect(await emissionError { try await client.socket.emit(event) } == .tooLarge(limit: 100))
      #expect(
        await emissionError {
          try await client.socket.emit(
            SocketEvent("commandResult", [.string(String(repeating: "x", count: EnginePacket.maximumLength))]))
        } == .tooLarge(limit: 100))
      await client.socket.close()
      // CONNECT, DISCONNECT and the close frame.
      #expect(await server.lines("frame", 3).map { $0["frame"] } == [0x81, 0x81, 0x88])
    }

    @Test("names that are the protocol's are not sent", arguments: ["connect", "disconnect", "connect_error", ""])
    func reserved(_ name: String) async throws {
      let client = SocketClient(try SocketConfiguration(SocketServerAddress("https://example.org")), environment: [:])
      #expect(await emissionError { try await client.emit(SocketEvent(name)) } == .invalid(.eventName))
      await client.close()
    }
  }
}
