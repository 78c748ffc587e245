import Foundation
import PassageSocket
import TesseraHTTPClient
import TesseraJSON
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Connections to a server of python-socketio", .timeLimit(.minutes(5)))
  struct ConnectionTests {
    @Test("the server gets the query, percent-encoded, and the authentication")
    func query() async throws {
      let server = try await Controller.server()
      let client = try await Client(
        "http://127.0.0.1:\(server.port)", query: [("intentToken", "h.p-s_~=&+ü"), ("agentName", "a b/c?#%")],
        change: { $0.authentication = ["version": 1] })
      let session = try #require(await client.connected())
      #expect(session.number == 1)
      #expect(session.handshake.pingInterval == .seconds(25))
      #expect(session.handshake.pingTimeout == .seconds(20))
      let connect = try #require(await server.lines("connect").first)
      #expect(connect["connect"] == .string(session.identifier))
      #expect(
        connect["query"]
          == "EIO=4&transport=websocket&intentToken=h.p-s_~%3D%26%2B%C3%BC&agentName=a%20b%2Fc%3F%23%25")
      #expect(connect["auth"] == ["version": 1])
      #expect(connect["agent"] == "tessera")
      #expect(connect["host"] == .string("127.0.0.1:\(server.port)"))
      await client.socket.close()
      #expect(await client.end() == nil)
      #expect(await server.lines("disconnect").map { $0["disconnect"] } == [.string(session.identifier)])
    }

    @Test("another namespace is refused, and the client ends")
    func namespace() async throws {
      let server = try await Controller.server()
      let client = try await Client(server, namespace: "/other")
      #expect(await client.read { $0.isEnd } == [.ended(.refused(message: "Unable to connect"))])
      #expect(try await server.all("connect").isEmpty)
    }

    @Test("a refusal has the server's message")
    func refusal() async throws {
      let server = try await Controller.server(["refuse": "bad token"])
      let client = try await Client(server)
      #expect(await client.read { $0.isEnd } == [.ended(.refused(message: "bad token"))])
      #expect(SocketError.refused(message: "bad\u{202E} \ntoken").failure.cause.hasSuffix(": “bad   token”."))
      #expect(
        await emissionError { try await client.socket.emit(SocketEvent("modalExit")) }
          == .ended(.refused(message: "bad token")))
    }

    @Test("a client that the server removes does not come back")
    func removal() async throws {
      let server = try await Controller.server()
      let client = try await Client(server)
      #expect(await client.connected() != nil)
      // The server knows the client when it has its event.
      _ = try await client.socket.emitAcknowledged(SocketEvent("question", [1]), within: .seconds(60))
      try server.order(["remove": true])
      #expect(await client.read { $0.isEnd } == [.ended(.disconnectedByServer)])
      #expect(try await server.all("connect").count == 1)
    }

    @Test("pings are answered")
    func pings() async throws {
      let server = try await Controller.server(["pingInterval": 1, "pingTimeout": 60])
      let client = try await Client(server)
      #expect(await client.connected()?.handshake.silenceLimit == .seconds(61))
      #expect(await server.lines("pong", 3).count >= 3)
      let values = try await client.socket.emitAcknowledged(
        SocketEvent("question", ["still here"]), within: .seconds(60), whileDisconnected: .fails)
      #expect(values == ["still here", "answered"])
      #expect(try await server.all("connect").count == 1)
      #expect(try await server.all("disconnect").isEmpty)
      await client.socket.close()
    }

    @Test("a client that is closed before it has connected ends at once")
    func closing() async throws {
      let server = try await Controller.hostile("mute")
      let client = try await Client(server) { $0.timeLimits.upgrading = .seconds(3_600) }
      _ = await server.lines("accepted")
      let waiting = Task { await emissionError { try await client.socket.emit(SocketEvent("modalExit")) } }
      await client.socket.close()
      #expect(await client.read { $0.isEnd } == [.ended(nil)])
      #expect(await waiting.value == .ended(nil))
      // Nor does one that never started.
      let other = SocketClient(try SocketConfiguration(SocketServerAddress("https://example.org")), environment: [:])
      await other.close()
      await other.start()
      var events: [SocketClientEvent] = []
      for await event in other.events { events.append(event) }
      #expect(events == [.ended(nil)])
    }

    @Test("no connection is made while TESSERA_OFFLINE is set")
    func offline() async throws {
      let client = try await Client("http://127.0.0.1:9", environment: ["TESSERA_OFFLINE": "1"])
      #expect(await client.read { $0.isEnd } == [.ended(.http(.offline))])
    }

    @Test(
      "addresses",
      arguments: [
        ("https://example.org", true), ("https://EXAMPLE.org:8443/", true), ("http://localhost:3000", true),
        ("http://127.0.0.1:3000", true), ("http://[::1]:3000", true), ("https://[2001:db8::1]", true),
        ("http://example.org", false), ("http://127.0.0.1.example.org", false), ("https://example.org/path", false),
        ("https://user@example.org", false), ("https://example.org?a=b", false), ("https://example.org#a", false),
        ("ws://127.0.0.1", false), ("wss://example.org", false), ("example.org", false), ("", false),
        ("https://example.org\r\nX: 1", false), ("https://exa mple.org", false), ("https://example.org:0", false),
      ])
    func addresses(_ text: String, isValid: Bool) {
      #expect(((try? SocketServerAddress(text)) != nil) == isValid)
    }

    @Test("descriptions do not have the token")
    func secrets() throws {
      let address = try SocketServerAddress("https://example.org/", query: [("intentToken", "s3cret")])
      let configuration = try SocketConfiguration(address)
      var dumped = ""
      dump(address, to: &dumped)
      for text in ["\(address)", "\(configuration)", String(reflecting: configuration), dumped] {
        #expect(text.contains("https://example.org"))
        #expect(!text.contains("s3cret"))
      }
    }

    @Test("a query that is too long is refused")
    func longQuery() {
      let value = String(repeating: "x", count: SocketServerAddress.maximumTarget)
      #expect(throws: SocketError.invalidAddress) {
        try SocketServerAddress("https://example.org", query: [("intentToken", value)])
      }
    }
  }
}
