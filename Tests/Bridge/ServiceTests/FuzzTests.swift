import BridgeVectors
import Foundation
import TesseraBridge
import TesseraService
import TestSupport
import Testing

/// Mutated input: the service keeps running and grants no access.
@Suite("Fuzzing of the service's transports")
struct FuzzTests {
  @Test("mutated upgrade requests")
  func upgrade() async throws {
    let handler = WaitingHandler(.analytics)
    try await ServiceUnderTest.with(MessageRouter(handlers: [handler])) { service in
      try await Fuzzing.manyTimes(300, of: "upgrades") { random in
        let origin = Int.random(in: 0..<4, using: &random) == 0 ? ServiceUnderTest.origin : "http://evil.test"
        var bytes = Array(WebSocketClient.request(port: service.port, origins: [origin]).utf8)
        bytes = Fuzzing.mutated(bytes, &random)
        let connection = try RawConnection.loopback(service.port)
        connection.send(bytes + WebSocketClient.frame(1, VectorClient.request("analytics.trackEvent", id: "f").utf8))
        connection.endSending()
        let answer = await connection.textUntilClosed()
        #expect(answer != nil, "not closed: \(bytes)")
        if let answer, answer.hasPrefix("HTTP/1.1 101") {
          let head = String(decoding: bytes, as: UTF8.self)
          #expect(head.contains(ServiceUnderTest.origin), "upgraded: \(bytes)")
        }
      }
      #expect(try await service.webSocket().connection.isOpen)
    }
  }

  @Test("mutated lines")
  func lines() async throws {
    let world = try VectorEnvironment()
    // Without requests that wait for a user or a document.
    let cases = BridgeVectors.cases.filter { !["nfc", "camera"].contains($0["send"]["domain"].text) }
    let texts = cases.compactMap { vector in
      (try? JSONSerialization.data(withJSONObject: vector["send"].raw ?? [:])).map(Array.init)
    }
    try await ServiceUnderTest.with(world.router) { service in
      try await Fuzzing.manyTimes(300, of: "conversations of five lines") { random in
        let connection = try service.unix()
        for _ in 0..<5 {
          var bytes = texts[Int.random(in: 0..<texts.count, using: &random)]
          bytes = Fuzzing.mutated(bytes, &random)
          connection.send(bytes + [10])
        }
        connection.endSending()
        #expect(await connection.textUntilClosed() != nil)
        for message in connection.messages { #expect(message["type"] == "response" || message["type"] == "event") }
        #expect(connection.text.isEmpty || connection.text.hasSuffix("\n"))
      }
      #expect(try await service.unix().ask("lifecycle.ready")["success"] == true)
    }
  }

  @Test("mutated frames")
  func frames() async throws {
    let limits = LimitTests.limits { limits in
      limits.requestBurst = 1_000_000
      limits.messageBytes = 4_096
    }
    try await ServiceUnderTest.with(.echo, limits: limits) { service in
      try await Fuzzing.manyTimes(300, of: "conversations of five frames") { random in
        let client = try await service.webSocket()
        let message = Array(VectorClient.request("analytics.trackEvent", ["a": "b"], id: "f").utf8)
        var bytes: [UInt8] = []
        for _ in 0..<5 {
          var frame = WebSocketClient.frame(
            [0, 1, 2, 8, 9, 10, UInt8(Int.random(in: 0..<16, using: &random))][Int.random(in: 0..<7, using: &random)],
            message.prefix(Int.random(in: 0..<message.count, using: &random)),
            fin: Int.random(in: 0..<3, using: &random) > 0, masked: Int.random(in: 0..<8, using: &random) > 0)
          if Int.random(in: 0..<3, using: &random) == 0 { frame = Fuzzing.mutated(frame, &random) }
          bytes += frame
        }
        client.connection.send(bytes)
        client.connection.endSending()
        #expect(await client.connection.wait { !$0.isOpen }, "not closed: \(bytes)")
      }
      #expect(try await service.webSocket().ask("analytics.trackEvent")["success"] == true)
    }
  }
}
