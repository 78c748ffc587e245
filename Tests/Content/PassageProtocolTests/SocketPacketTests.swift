import PassageSocket
import TesseraJSON
import TestSupport
import Testing

@Suite("Packets of Engine.IO and Socket.IO")
struct SocketPacketTests {
  private static let namespace = try? SocketNamespace("/ws")

  private static func packet(_ content: SocketPacket.Content) throws -> EnginePacket {
    .message(SocketPacket(try #require(namespace), content).text)
  }

  private static func identifier(_ number: Int) throws -> AcknowledgementIdentifier {
    try #require(AcknowledgementIdentifier(number))
  }

  @Test("the frames of the samples")
  func samples() throws {
    var command = JSONObject()
    command["id"] = "c-5"
    command["type"] = "injectScript"
    command["injectScript"] = "1"
    let expected: [String: EnginePacket] = [
      "engine open": .open(
        EngineHandshake(
          identifier: "e1", pingInterval: .seconds(25), pingTimeout: .seconds(20), maximumPayload: 1_000_000)),
      "namespace connect request": try Self.packet(.connect(nil)),
      "namespace connected": try Self.packet(.connect(["sid": "s1"])),
      "ping": .ping(""), "pong": .pong(""),
      "event": try Self.packet(.event(SocketEvent("command", [.object(command)]), identifier: nil)),
      "event with ack id 7": try Self.packet(
        .event(SocketEvent("modalExit", [[:]]), identifier: Self.identifier(7))),
      "ack 7": try Self.packet(.acknowledgement(Self.identifier(7), [])),
      "connect error": try Self.packet(.connectError(message: "bad token")),
      "disconnect": try Self.packet(.disconnect),
    ]
    let frames = Fixtures.json("Content/PassageProtocolTests", "socket-frames.json")["frames"].list
    #expect(frames.map { $0["means"].text }.sorted() == expected.keys.sorted())
    for frame in frames {
      let wire = frame["wire"].text
      let packet = try EnginePacket(wire)
      #expect(packet == expected[frame["means"].text], "\(wire)")
      #expect(packet.text == wire)
      guard case .message(let data) = packet else { continue }
      let content = try SocketPacket(data)
      #expect(content.namespace.path == "/ws")
      #expect(content.text == data)
    }
  }

  @Test("the events of the samples, there and back")
  func events() throws {
    let events = Fixtures.json("Content/PassageProtocolTests", "socket-events.json")
    let text = String(decoding: Fixtures.file("Content/PassageProtocolTests", "socket-events.json"), as: UTF8.self)
    let all = try JSONValue(text: text)
    var count = 0
    for direction in ["in", "out"] {
      guard case .array(let list)? = all[direction] else { continue }
      #expect(list.count == events[direction].list.count)
      for case .array(let values) in list {
        let wire = "42/ws," + JSONValue.array(values).text
        guard case .message(let data) = try EnginePacket(wire),
          case .event(let event, nil) = try SocketPacket(data).content
        else {
          Issue.record("\(wire) is no event")
          continue
        }
        #expect(.string(event.name) == values.first)
        #expect(event.payload == values.last)
        #expect(SocketPacket(try #require(Self.namespace), .event(event, identifier: nil)).text == data)
        count += 1
      }
    }
    #expect(count == 9)
  }

  @Test(
    "packets of Engine.IO",
    arguments: [
      ("1", .close), ("2", .ping("")), ("2probe", .ping("probe")), ("3probe", .pong("probe")), ("4", .message("")),
      ("4ä\u{301}", .message("ä\u{301}")), ("4\u{301}", .message("\u{301}")), ("5", .upgrade), ("6", .noop),
    ] as [(String, EnginePacket)])
  func engine(_ text: String, _ packet: EnginePacket) throws {
    #expect(try EnginePacket(text) == packet)
    #expect(packet.text == text)
  }

  @Test(
    "texts that are no packets of Engine.IO",
    arguments: [
      ("", .engineType), ("7", .engineType), ("a", .engineType), (" 2", .engineType), ("-1", .engineType),
      ("\u{301}2", .engineType), ("１", .engineType), ("1 ", .engineData), ("5probe", .engineData),
      ("6\n", .engineData), ("2" + String(repeating: "x", count: 65), .engineData),
      ("0", invalidJSON("")), ("0{", invalidJSON("{")),
      ("0[]", .handshake), ("0{}", .handshake),
    ] as [(String, SocketProtocolError)])
  func noEngine(_ text: String, _ error: SocketProtocolError) {
    #expect(throws: error) { try EnginePacket(text) }
  }

  @Test(
    "handshakes whose members are out of range",
    arguments: [
      #""sid":"""#, #""sid":1"#, #""pingInterval":0"#, #""pingInterval":-1"#, #""pingInterval":3600001"#,
      #""pingInterval":2.5"#, #""pingInterval":1e3"#, #""pingInterval":"25000""#, #""pingInterval":null"#,
      #""pingTimeout":0"#, #""pingTimeout":99999999999999999999"#, #""maxPayload":0"#, #""maxPayload":-5"#,
      #""maxPayload":"1""#, #""maxPayload":null"#, "\"sid\":\"" + String(repeating: "x", count: 257) + "\"",
    ])
  func ranges(_ change: String) {
    // Of members with one name the last one counts.
    #expect(throws: SocketProtocolError.handshake) {
      try EnginePacket(#"0{"sid":"e1","pingInterval":25000,"pingTimeout":20000,\#(change)}"#)
    }
  }

  @Test("the least and the largest handshake")
  func extremes() throws {
    let least = #"0{"sid":"e","pingInterval":1,"pingTimeout":1}"#
    #expect(
      try EnginePacket(least)
        == .open(EngineHandshake(identifier: "e", pingInterval: .milliseconds(1), pingTimeout: .milliseconds(1))))
    let largest = #"0{"sid":"e","pingInterval":3600000,"pingTimeout":3600000,"maxPayload":9223372036854775807}"#
    guard case .open(let handshake) = try EnginePacket(largest) else {
      Issue.record("no handshake")
      return
    }
    #expect(handshake.silenceLimit == .seconds(7_200))
    #expect(handshake.maximumPayload == Int.max)
    #expect(try EnginePacket(EnginePacket.open(handshake).text) == .open(handshake))
  }

  @Test("packets of Socket.IO without a namespace, with a query, and with the largest identifier")
  func forms() throws {
    #expect(try SocketPacket("0") == SocketPacket(.root, .connect(nil)))
    #expect(try SocketPacket("0/") == SocketPacket(.root, .connect(nil)))
    #expect(try SocketPacket("1") == SocketPacket(.root, .disconnect))
    #expect(try SocketPacket("0/ws") == SocketPacket(SocketNamespace("/ws"), .connect(nil)))
    #expect(try SocketPacket(#"2["a"]"#) == SocketPacket(.root, .event(SocketEvent("a"), identifier: nil)))
    #expect(
      try SocketPacket(#"20["a",1]"#)
        == SocketPacket(.root, .event(SocketEvent("a", [1]), identifier: Self.identifier(0))))
    #expect(try SocketPacket(#"2 [ "a" ] "#).content == .event(SocketEvent("a"), identifier: nil))
    let most = AcknowledgementIdentifier.maximum
    #expect(try SocketPacket("3\(most)[]").content == .acknowledgement(Self.identifier(most), []))
    #expect(try Self.identifier(most).next == .first)
    #expect(try SocketPacket(#"4"no""#).content == .connectError(message: "no"))
    #expect(try SocketPacket(#"4{"data":1}"#).content == .connectError(message: ""))

    let packet = try SocketPacket(#"0/ws?token=a/b&x,{"sid":"s"}"#)
    #expect(packet.namespace.path == "/ws")
    #expect(packet.namespace.query == "token=a/b&x")
    #expect(packet.text == #"0/ws?token=a/b&x,{"sid":"s"}"#)
    #expect(SocketPacket(packet.namespace.withoutQuery, .disconnect).text == "1/ws,")
    #expect(SocketPacket(.root, .disconnect).text == "1")
  }

  @Test("packets with attachments are read up to their identifier")
  func attachments() throws {
    let event = #"["a",{"_placeholder":true,"num":0}]"#
    #expect(
      try SocketPacket("51-" + event) == SocketPacket(.root, .unreadEvent(attachments: 1, identifier: nil)))
    #expect(
      try SocketPacket("5256-/ws,7" + event)
        == SocketPacket(SocketNamespace("/ws"), .unreadEvent(attachments: 256, identifier: Self.identifier(7))))
    #expect(try SocketPacket("62-12[no JSON").content == .unreadAcknowledgement(attachments: 2))
    // Labelled as binary, and not binary.
    #expect(try SocketPacket(#"50-/ws,7["a"]"#) == SocketPacket(#"2/ws,7["a"]"#))
    #expect(try SocketPacket("60-7[1]") == SocketPacket("37[1]"))
  }

  @Test(
    "texts that are no packets of Socket.IO",
    arguments: [
      ("", .socketType), ("7", .socketType), ("x", .socketType), ("/ws,", .socketType),
      (#"5["a"]"#, .attachments), ("5", .attachments), ("5-", .attachments), (#"5-1["a"]"#, .attachments),
      (#"5257-["a"]"#, .attachments), (#"599999999999999999999-["a"]"#, .attachments), ("51/ws,", .attachments),
      ("60-[]", .acknowledgementIdentifier), (#"51-/ä,["a"]"#, .namespace),
      (#"51-007["a"]"#, .acknowledgementIdentifier),
      ("2/ws, [1]", .payload), ("2[]", .payload), ("2", .payload), ("2{}", .payload), ("2[null]", .payload),
      (#"2[""]"#, .eventName), ("2[\"" + String(repeating: "x", count: 257) + "\"]", .eventName),
      ("0[]", .payload), ("0null", .payload), ("1{}", .payload), ("3[]", .acknowledgementIdentifier),
      ("37{}", .payload), ("37", .payload), ("4", .payload), ("47", .acknowledgementIdentifier),
      ("07{}", .acknowledgementIdentifier), ("17", .acknowledgementIdentifier),
      (#"2007["a"]"#, .acknowledgementIdentifier), (#"29007199254740993["a"]"#, .acknowledgementIdentifier),
      (#"299999999999999999999["a"]"#, .acknowledgementIdentifier),
      (#"2-1["a"]"#, invalidJSON(#"-1["a"]"#)),
      (#"2["a"]x"#, invalidJSON(#"["a"]x"#)),
      (#"2["\ud800"]"#, invalidJSON(#"["\ud800"]"#)),
      ("2" + String(repeating: "[", count: 100_000), invalidJSON(String(repeating: "[", count: 65))),
      ("2/ä,[\"a\"]", .namespace), ("2/w s,[\"a\"]", .namespace),
      ("0/" + String(repeating: "x", count: 256), .namespace),
      ("2[\"a\"" + String(repeating: ",1", count: 65) + "]", .payload),
      ("31[1" + String(repeating: ",1", count: 64) + "]", .payload),
    ] as [(String, SocketProtocolError)])
  func noPacket(_ text: String, _ error: SocketProtocolError) {
    #expect(throws: error) { try SocketPacket(text) }
  }

  @Test("texts beyond the limit are not parsed")
  func limit() throws {
    let limit = EnginePacket.maximumLength
    let longest = "4" + String(repeating: "x", count: limit - 1)
    guard case .message(let data) = try EnginePacket(longest) else {
      Issue.record("no message")
      return
    }
    #expect(data.utf8.count == limit - 1)
    #expect(throws: SocketProtocolError.tooLarge(limit: limit)) { try EnginePacket(longest + "x") }
    #expect(throws: SocketProtocolError.tooLarge(limit: 5)) { try SocketPacket(#"2["a"]"#, limit: 5) }
    #expect(throws: SocketProtocolError.tooLarge(limit: 3)) { try EnginePacket("4äb", limit: 3) }
  }

  @Test("namespaces", arguments: ["", "ws", "/w,s", "/w\u{0}", "/w\ns", " /ws"])
  func namespaces(_ text: String) {
    #expect(throws: SocketProtocolError.namespace) { try SocketNamespace(text) }
  }

  @Test("events that a client may not send", arguments: ["connect", "disconnecting", "newListener", ""])
  func names(_ name: String) {
    #expect(throws: SocketProtocolError.eventName) { try SocketEvent(name).check() }
    #expect(throws: Never.self) { try SocketEvent("modalExit").check() }
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
