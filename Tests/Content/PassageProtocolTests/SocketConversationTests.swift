import PassageSocket
import TesseraJSON
import Testing

@Suite("A conversation with a Socket.IO server, without a socket")
struct SocketConversationTests {
  private static let open = #"0{"sid":"e1","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#
  private static let handshake = EngineHandshake(
    identifier: "e1", pingInterval: .seconds(25), pingTimeout: .seconds(20))
  private static let confirmation = #"40/ws,{"sid":"s1"}"#

  private static func conversation(_ frames: String...) throws -> SocketConversation {
    var conversation = SocketConversation(try SocketNamespace("/ws"))
    for frame in frames { _ = try conversation.receive(frame) }
    return conversation
  }

  @Test("from the opening to the end")
  func whole() throws {
    var conversation = SocketConversation(try SocketNamespace("/ws?v=1"), authentication: ["token": "t"])
    #expect(
      try conversation.receive(Self.open) == [.opened(Self.handshake), .send(.message(#"0/ws?v=1,{"token":"t"}"#))])
    #expect(!conversation.isConnected)
    #expect(try conversation.receive("2") == [.pinged, .send(.pong(""))])
    #expect(try conversation.receive(Self.confirmation) == [.connected(identifier: "s1")])
    #expect(conversation.isConnected)
    #expect(try conversation.receive("2probe") == [.pinged, .send(.pong("probe"))])
    #expect(try conversation.receive("6") == [])
    #expect(try conversation.receive("3") == [])
    let identifier = try #require(AcknowledgementIdentifier(7))
    #expect(
      try conversation.receive(#"42/ws,7["command",{"id":"c"}]"#)
        == [.event(SocketEvent("command", [["id": "c"]]), identifier: identifier)])
    #expect(try conversation.receive("43/ws,7[1,2]") == [.acknowledged(identifier, [1, 2])])
    #expect(try conversation.receive("41/ws,") == [.ended(.disconnected)])
    #expect(!conversation.isConnected)
    // Nothing follows the end.
    #expect(try conversation.receive("garbage") == [])
  }

  @Test("a refusal")
  func refusal() throws {
    var conversation = try Self.conversation(Self.open)
    #expect(try conversation.receive(#"44/ws,{"message":"bad token"}"#) == [.ended(.refused(message: "bad token"))])
  }

  @Test("the server closes the session", arguments: [[], [open], [open, confirmation]])
  func close(_ frames: [String]) throws {
    var conversation = try Self.conversation()
    for frame in frames { _ = try conversation.receive(frame) }
    #expect(try conversation.receive("1") == [.ended(.closed)])
  }

  @Test("early events follow the confirmation, up to their limit")
  func early() throws {
    var conversation = try Self.conversation(Self.open)
    #expect(try conversation.receive(#"42/ws,["welcome"]"#) == [])
    #expect(try conversation.receive(#"42/ws,["command",1]"#) == [])
    #expect(
      try conversation.receive(Self.confirmation) == [
        .connected(identifier: "s1"), .event(SocketEvent("welcome"), identifier: nil),
        .event(SocketEvent("command", [1]), identifier: nil),
      ])
    var other = try Self.conversation(Self.open)
    for _ in 0..<SocketConversation.maximumEarlyEvents { _ = try other.receive(#"42/ws,["a"]"#) }
    #expect(throws: SocketProtocolError.tooManyEarlyEvents(limit: 64)) { try other.receive(#"42/ws,["a"]"#) }
  }

  @Test("packets of other namespaces are ignored, even before the confirmation")
  func others() throws {
    var conversation = try Self.conversation(Self.open)
    for frame in [#"40{"sid":"x"}"#, #"44/other,{"message":"no"}"#, #"42["a"]"#, "41", "41/wsx,"] {
      #expect(try conversation.receive(frame) == [])
    }
    #expect(try conversation.receive(Self.confirmation) == [.connected(identifier: "s1")])
    #expect(try conversation.receive(#"42/ws?v=2,["a"]"#) == [.event(SocketEvent("a"), identifier: nil)])
  }

  @Test(
    "packets at the wrong time",
    arguments: [
      ([], "2"), ([], confirmation), ([], "6"), ([open], open), ([open], "5"), ([open], "43/ws,1[]"),
      ([open, confirmation], confirmation), ([open, confirmation], #"44/ws,{"message":"late"}"#),
      ([open, confirmation], open),
    ])
  func wrongTime(_ frames: [String], _ frame: String) throws {
    var conversation = try Self.conversation()
    for frame in frames { _ = try conversation.receive(frame) }
    #expect(throws: SocketProtocolError.unexpected) { try conversation.receive(frame) }
  }

  @Test(
    "confirmations without an identifier, as of version 2",
    arguments: ["40/ws,", "40/ws,{}", #"40/ws,{"sid":""}"#, #"40/ws,{"sid":1}"#])
  func version2(_ frame: String) throws {
    var conversation = try Self.conversation(Self.open)
    #expect(throws: SocketProtocolError.payload) { try conversation.receive(frame) }
  }
}
