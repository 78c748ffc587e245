import Bridge
import BridgeVectors
import Foundation
import Service
import TestSupport
import Testing

/// Mutated conversations: whatever comes, the service goes on and nobody gets in. `TESSERA_FUZZ_SECONDS` makes it longer.
@Suite("Fuzzing of the service's doors")
struct FuzzTests {
  private static let seconds = Double(ProcessInfo.processInfo.environment["TESSERA_FUZZ_SECONDS"] ?? "") ?? 0
  private static let leastCount = 300

  private static func repeatedly(_ body: (inout RandomBytes) async throws -> Void) async throws -> Int {
    let end = Date.now.addingTimeInterval(seconds)
    var random = RandomBytes(seed: UInt64(ProcessInfo.processInfo.environment["TESSERA_FUZZ_SEED"] ?? "") ?? 1)
    var count = 0
    while count < leastCount || Date.now < end {
      try await body(&random)
      count += 1
    }
    return count
  }

  @Test("the upgrade")
  func upgrade() async throws {
    let handler = WaitingHandler(.analytics)
    try await ServiceUnderTest.with(MessageRouter(handlers: [handler])) { service in
      let count = try await Self.repeatedly { random in
        let origin = random.next(4) == 0 ? ServiceUnderTest.origin : "http://evil.test"
        var bytes = Array(WebSocketClient.request(port: service.port, origins: [origin]).utf8)
        random.mutate(&bytes)
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
      print("fuzzing: \(count) upgrades")
      #expect(try await service.webSocket().connection.isOpen)
    }
  }

  @Test("lines")
  func lines() async throws {
    let world = try VectorWorld()
    // Without what waits for a person or a document.
    let cases = BridgeVectors.cases.filter { !["nfc", "camera"].contains($0["send"]["domain"].text) }
    let texts = cases.compactMap { vector in
      (try? JSONSerialization.data(withJSONObject: vector["send"].raw ?? [:])).map(Array.init)
    }
    try await ServiceUnderTest.with(world.router) { service in
      let count = try await Self.repeatedly { random in
        let connection = try service.unix()
        for _ in 0..<5 {
          var bytes = texts[random.next(texts.count)]
          random.mutate(&bytes)
          connection.send(bytes + [10])
        }
        connection.endSending()
        #expect(await connection.textUntilClosed() != nil)
        for message in connection.messages { #expect(message["type"] == "response" || message["type"] == "event") }
        #expect(connection.text.isEmpty || connection.text.hasSuffix("\n"))
      }
      print("fuzzing: \(count) conversations of five lines")
      #expect(try await service.unix().ask("lifecycle.ready")["success"] == true)
    }
  }

  @Test("frames")
  func frames() async throws {
    let limits = LimitTests.limits { limits in
      limits.requestBurst = 1_000_000
      limits.messageBytes = 4_096
    }
    try await ServiceUnderTest.with(.echo, limits: limits) { service in
      let count = try await Self.repeatedly { random in
        let client = try await service.webSocket()
        let message = Array(VectorClient.request("analytics.trackEvent", ["a": "b"], id: "f").utf8)
        var bytes: [UInt8] = []
        for _ in 0..<5 {
          var frame = WebSocketClient.frame(
            [0, 1, 2, 8, 9, 10, UInt8(random.next(16))][random.next(7)], message.prefix(random.next(message.count)),
            fin: random.next(3) > 0, masked: random.next(8) > 0)
          if random.next(3) == 0 { random.mutate(&frame) }
          bytes += frame
        }
        client.connection.send(bytes)
        client.connection.endSending()
        #expect(await client.connection.wait { !$0.isOpen }, "not closed: \(bytes)")
      }
      print("fuzzing: \(count) conversations of five frames")
      #expect(try await service.webSocket().ask("analytics.trackEvent")["success"] == true)
    }
  }
}

/// Repeatable randomness (xorshift64*).
struct RandomBytes {
  private var state: UInt64

  init(seed: UInt64) { state = seed | 1 }

  mutating func next(_ bound: Int) -> Int {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % max(1, bound)
  }

  mutating func mutate(_ bytes: inout [UInt8]) {
    for _ in 0...next(4) {
      guard !bytes.isEmpty else { return }
      let place = next(bytes.count)
      switch next(6) {
      case 0: bytes[place] = UInt8(next(256))
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(UInt8(next(256)), at: place)
      case 3: bytes.removeSubrange(place..<min(bytes.count, place + next(16)))
      case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + next(32))], at: next(bytes.count))
      default: bytes.insert(contentsOf: [UInt8](repeating: bytes[place], count: next(64)), at: place)
      }
    }
  }
}
