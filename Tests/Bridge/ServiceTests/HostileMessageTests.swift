import BridgeVectors
import Foundation
import TesseraBridge
import TesseraService
import TesseraThreads
import TestSupport
import Testing

@Suite("Messages with an excessive processing cost")
struct HostileMessageTests {
  static let limits = LimitTests.limits { limits in
    limits.messageBytes = 10_000
    limits.requestBurst = 100_000
  }

  static func message(_ length: Int, id: String, _ target: String = "analytics.trackEvent") -> String {
    let frame = VectorClient.request(target, ["pad": ""], id: id).utf8.count
    return VectorClient.request(target, ["pad": .string(String(repeating: "x", count: length - frame))], id: id)
  }

  /// Parameters of a given size in bytes whose processing could be expensive.
  static let kinds: [(name: String, parameters: @Sendable (Int) -> String)] = [
    ("combining marks", { "{\"a" + String(repeating: "\u{316}\u{301}", count: $0 / 4) + "\":1}" }),
    (
      "combining marks in two names",
      { size in
        let marks = ["\u{316}\u{301}", "\u{301}\u{316}"].map { "\"a" + String(repeating: $0, count: size / 8) + "\":1" }
        return "{" + marks.joined(separator: ",") + "}"
      }
    ),
    ("deep nesting", { String(repeating: "[", count: $0 / 2) + String(repeating: "]", count: $0 / 2) }),
    ("a long number", { "{\"a\":" + String(repeating: "9", count: $0) + "}" }),
    (
      "long numbers",
      { size in
        "{\"a\":[" + Array(repeating: String(repeating: "9", count: 900), count: size / 901).joined(separator: ",")
          + "]}"
      }
    ),
    ("many members", { size in "{" + (0..<size / 9).map { "\"\($0)\":1" }.joined(separator: ",") + "}" }),
    (
      "long names",
      { size in
        "{" + (0..<64).map { "\"\(String(repeating: "k", count: size / 64 - 12))\($0)\":1" }.joined(separator: ",")
          + "}"
      }
    ),
  ]

  static func request(_ parameters: String, id: String) -> String {
    #"{"type":"request","version":1,"id":""# + id
      + #"","domain":"analytics","method":"trackEvent","params":"# + parameters + #","timestamp":1}"#
  }

  @Test("answers each kind, and serves other clients meanwhile", .timeLimit(.minutes(5)), arguments: 0..<7)
  func kinds(_ index: Int) async throws {
    let kind = Self.kinds[index]
    try await ServiceUnderTest.with(.echo) { service in
      let (hostile, other) = (try service.unix(), try service.unix())
      let sender = Task.detached {
        // Unicode normalization by `String` took minutes for a million bytes of combining marks, longer than every
        // timeout here. The other kinds are slow to parse in a debug build.
        let size = kind.name.contains("marks") ? 1_000_000 : 240_000
        for turn in 0..<3 { hostile.post(Self.request(kind.parameters(size), id: "\(turn)")) }
      }
      for _ in 1...20 { #expect(try await other.ask("analytics.trackEvent")["success"] == true) }
      for turn in 0..<3 { #expect(await hostile.answer(to: "\(turn)") != nil, "\(kind.name)") }
      await sender.value
    }
  }

  @Test("a message that is too long or too deep fails its own request only")
  func refusedAlone() async throws {
    let router = MessageRouter(handlers: [WaitingHandler(), EchoHandler(domain: .analytics)])
    try await ServiceUnderTest.with(router, limits: Self.limits) { service in
      for client in [try service.unix() as any TestClient, try await service.webSocket()] {
        client.post(VectorClient.request("camera.scanMRZ", id: "scan"))
        for (id, length) in [("one more", 10_001), ("much more", 150_000)] {
          client.post(Self.message(length, id: id))
          let answer = try #require(await client.answer(to: id))
          #expect(answer.errorCode == "MESSAGE_TOO_LARGE")
          #expect(answer["domain"] == "analytics")
        }
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        client.post(Self.request(deep, id: "deep"))
        #expect(await client.answer(to: "deep")?.errorCode == "NESTING_TOO_DEEP")
        client.post(Self.request(#"{"a":"\ud83d"}"#, id: "half"))
        #expect(await client.answer(to: "half")?.errorCode == "MALFORMED_TEXT")
        #expect(try await client.ask("analytics.trackEvent", ["a": 1])["data"] == ["a": 1])
        #expect(client.connection.isOpen)
        #expect(!client.messages.contains { $0["requestId"] == "scan" })
      }
    }
  }

  @Test("answers an oversized fragmented message once, and then the next one")
  func fragments() async throws {
    try await ServiceUnderTest.with(.echo, limits: Self.limits) { service in
      let page = try await service.webSocket()
      let bytes = Array(Self.message(30_000, id: "long").utf8)
      for (index, start) in stride(from: 0, to: 30_000, by: 6_000).enumerated() {
        let part = bytes[start..<start + 6_000]
        page.connection.send(WebSocketClient.frame(index == 0 ? 1 : 0, part, fin: start == 24_000))
      }
      #expect(await page.answer(to: "long")?.errorCode == "MESSAGE_TOO_LARGE")
      #expect(try await page.ask("analytics.trackEvent")["success"] == true)
      #expect(page.messages.count == 2)
    }
  }

  @Test("answers oversized and short frames once each, in order, however they are split")
  func cutAnywhere() async throws {
    try await ServiceUnderTest.with(.echo, limits: Self.limits) { service in
      let page = try await service.webSocket()
      let lengths = [300, 10_001, 300, 66_000, 10_000, 20_000, 300]
      let stream = lengths.enumerated().flatMap { index, length in
        WebSocketClient.frame(1, Self.message(length, id: "\(index)").utf8) + WebSocketClient.frame(9, [UInt8(index)])
      }
      var generator = SeededGenerator(seed: 7)
      var rest = stream[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...(Bool.random(using: &generator) ? 20 : 9_000), using: &generator)
        page.connection.send(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      for (index, length) in lengths.enumerated() {
        let answer = try #require(await page.answer(to: "\(index)"))
        #expect(answer.errorCode == (length > 10_000 ? "MESSAGE_TOO_LARGE" : nil))
      }
      await page.connection.wait { _ in page.frames.count { $0.opcode == 10 } == lengths.count }
      #expect(page.frames.filter { $0.opcode == 10 }.map(\.payload) == lengths.indices.map { [UInt8($0)] })
      #expect(page.messages.compactMap { $0["requestId"]?.stringValue } == lengths.indices.map { "\($0)" })
    }
  }

  @Test("answers a line that does not end once, and then closes the connection")
  func endless() async throws {
    try await ServiceUnderTest.with(.echo, limits: Self.limits) { service in
      let line = try service.unix()
      line.send(String(Self.message(20_000, id: "long").dropLast(3)))
      #expect(await line.answer(to: "long")?.errorCode == "MESSAGE_TOO_LARGE")
      #expect(line.isOpen)
      line.send(String(repeating: "x", count: 200_000))
      #expect(await LimitTests.closing(line) == "MESSAGE_TOO_LARGE")
      #expect(line.messages.count == 2)
    }
  }

  @Test("answers a line that is not UTF-8 with MALFORMED_TEXT")
  func notUTF8() async throws {
    try await ServiceUnderTest.with(.echo) { service in
      let line = try service.unix()
      line.send(Array(Self.request("{\"a\":\"", id: "bad").utf8.dropLast(15)) + [0xFF] + Array("\"}}\n".utf8))
      #expect(await line.answer(to: "bad")?.errorCode == "MALFORMED_TEXT")
      #expect(try await line.ask("analytics.trackEvent")["success"] == true)
    }
  }

  @Test("processes long and short messages in order, also those before the client closes its sending side")
  func order() async throws {
    let handler = RecordingHandler()
    try await ServiceUnderTest.with(
      MessageRouter(handlers: [handler]), limits: LimitTests.limits { $0.requestsInFlight = 1_000 }
    ) { service in
      let line = try service.unix()
      let ids = (0..<200).map { "\($0)" }
      for (index, id) in ids.enumerated() { line.post(Self.message(index % 3 == 1 ? 60_000 : 300, id: id)) }
      line.endSending()
      _ = try #require(await line.textUntilClosed())
      #expect(handler.ids.withLock { $0 } == ids)
      #expect(Set(line.messages.compactMap { $0["requestId"]?.stringValue }) == Set(ids))
    }
  }

  @Test("the next message cancels a scan that a long message requested")
  func stoppedAtOnce() async throws {
    let world = try VectorEnvironment(given: ConnectionTests.neverADocument)
    try await ServiceUnderTest.with(world.router) { service in
      let program = try service.unix()
      var document = ConnectionTests.document
      document["pad"] = .string(String(repeating: "x", count: 100_000))
      for turn in 1...20 {
        program.post(VectorClient.request("nfc.scan", document, id: "scan-\(turn)"))
        program.post(VectorClient.request("nfc.cancelScan", id: "stop-\(turn)"))
        #expect(await program.answer(to: "scan-\(turn)")?.errorCode == "SCAN_ABORTED")
        #expect(await program.answer(to: "stop-\(turn)")?["success"] == true)
      }
    }
  }

  @Test("hostile texts of a seal reach programs and pages as data, and a hostile rectangle is none")
  func hostileSeal() async throws {
    let texts = [
      "<script>alert(1)</script>", "'); _handleResponse('", "a\r\n{\"type\":\"response\"}\n",
      "\u{2028}\u{2029}\u{0}\u{1B}[2J",
      "\u{202E}EUNEG\u{202C}", String(repeating: "\u{316}\u{301}", count: 2_000), String(repeating: "9", count: 3_000),
    ]
    let report: JSONObject = [
      "kind": "vds", "outcome": "notEstablished",
      "fields": .array(texts.map { ["name": .string($0), "value": .string($0)] }),
    ]
    let seals = ScriptedCameraSealProvider([.otherBarcode, .seal], end: .report(report))
    let world = try VectorEnvironment()
    world.registry.register { $0.cameraSeal = seals }
    let deep = String(repeating: "[", count: 50) + String(repeating: "]", count: 50)
    let rectangles = [
      "null", deep, #"{"x":{},"y":[],"width":true,"height":"1"}"#, #"{"x":0,"y":0,"width":-1,"height":1}"#,
      #"{"x":0,"y":0,"width":"# + String(repeating: "9", count: 900) + "}",
    ]
    try await ServiceUnderTest.with(world.router) { service in
      for client in [try service.unix() as any TestClient, try await service.webSocket()] {
        for (turn, rectangle) in rectangles.enumerated() {
          client.post(
            #"{"type":"request","version":1,"id":"\#(turn)","domain":"camera","method":"scanSeal","#
              + #""params":{"scanRect":\#(rectangle)},"timestamp":1}"#)
          #expect(await client.answer(to: "\(turn)")?["data"] == .object(report), "\(rectangle.prefix(40))")
        }
        #expect(client.messages.count == rectangles.count * 3, "two events and one answer each")
        #expect(client.connection.isOpen)
      }
    }
    #expect(seals.requests.count == 2 * rectangles.count && seals.requests.allSatisfy { $0 == CameraMrzRequest() })
  }
}

/// Records the identifiers of its requests, in order.
private final class RecordingHandler: BridgeHandler {
  let domain = BridgeDomain.analytics
  let ids = Locked<[String]>([])

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    ids.withLock { $0.append(request.id) }
    return nil
  }
}
