import PassageSocket
import TesseraJSON
import Testing

@testable import PassageProtocol

/// Results that are too large for the socket: common servers close the connection then.
@Suite struct EmissionLimitTests {
  private static func showing(_ limit: Int?? = .none) throws -> Showing {
    var config = Showing.config
    config.sendsResultsOverSocket = true
    var showing = try Showing(config)
    showing.run()
    if let limit {
      showing.handle(.socket(.disconnected))
      showing.handle(.socket(.maximumPayload(limit)))
      showing.handle(.socket(.connected))
    }
    _ = showing.take()
    return showing
  }

  /// Sends a result whose packet has this length.
  private static func send(_ length: Int, _ showing: inout Showing) -> [PassageEffect] {
    func fill(_ count: Int) -> CommandResult {
      .success("c", .string(String(repeating: "x", count: count)), .empty)
    }
    let rest = Self.packet(.commandResult(fill(0)))
    showing.command(["id": "c", "type": "done", "args": ["data": fill(length - rest).data ?? .null]])
    showing.collect { $0 = .empty }
    return showing.take()
  }

  private static func packet(_ emission: SocketEmission) -> Int {
    let event = SocketEvent(emission.name, [emission.payload])
    guard let namespace = try? SocketNamespace("/ws") else { return 0 }
    return EnginePacket.message(SocketPacket(namespace, .event(event, identifier: nil)).text).text.utf8.count
  }

  @Test(
    "A result that is longer than the server accepts goes over http only, and the log says so",
    arguments: [
      (Int??.none, 1_000_000), (.some(nil), 1_000_000), (.some(2_000), 2_000), (.some(3_000_000), 3_000_000),
    ])
  func limit(limit: Int??, longest: Int) throws {
    var showing = try Self.showing(limit)
    let fits = Self.send(longest - 64, &showing)
    let emission = try #require(fits.lazy.compactMap { if case .emit(let event) = $0 { event } else { nil } }.first)
    #expect(emission.name == "commandResult" && Self.packet(emission) == longest - 64)
    #expect(showing.sent.last?.kind == .socketEvent)

    var other = try Self.showing(limit)
    let large = Self.send(longest + 1, &other)
    #expect(!large.contains { if case .emit = $0 { true } else { false } })
    #expect(large.contains(.log("The event commandResult is too large for the socket and is not sent over it.")))
    #expect(other.results.count == 1 && other.sent.last?.kind == .commandResult, "nothing else is said to be sent")
  }

  @Test("The limit is that of the present connection") func nextConnection() throws {
    var showing = try Self.showing(100)
    #expect(Self.send(1_000, &showing).allSatisfy { if case .emit = $0 { false } else { true } })
    showing.handle(.socket(.disconnected))
    showing.handle(.socket(.maximumPayload(nil)))
    showing.handle(.socket(.connected))
    showing.command(["id": "d", "type": "teleport"])
    #expect(showing.emissions.last?.payload["id"] == "d")
  }

  @Test("The estimate is never below the length of the packet, with an acknowledgement") func estimate() throws {
    let emission = SocketEmission("modalExit", ["a": "b"])
    let identifier = try #require(AcknowledgementIdentifier(AcknowledgementIdentifier.maximum))
    let packet = SocketPacket(
      try SocketNamespace("/ws"), .event(SocketEvent(emission.name, [emission.payload]), identifier: identifier))
    let length = EnginePacket.message(packet.text).text.utf8.count
    let estimate = emission.length(payload: emission.payload.text.utf8.count, namespace: "/ws")
    #expect(length <= estimate && estimate - length < 32)
  }
}
