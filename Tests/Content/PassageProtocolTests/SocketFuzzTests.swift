import PassageSocket
import TesseraJSON
import TestSupport
import Testing

/// Mutated frames: each has a typed outcome, and what was read is written as it was understood.
@Suite("Fuzzing of the socket's frames")
struct SocketFuzzTests {
  private static let frames =
    Fixtures.json("Content/PassageProtocolTests", "socket-frames.json")["frames"].list.map { $0["wire"].text }
    + [
      #"40/ws?token=a,{"sid":"s"}"#, #"42/ws,9007199254740991["command",{"id":"ü","args":[[[1.5e300]]]}]"#,
      #"451-/ws,1["a",{"_placeholder":true,"num":0}]"#, #"44"message""#, "2probe", "5", "6", "1",
    ]

  @Test("10,000 frames of Engine.IO and Socket.IO")
  func frames() async throws {
    #expect(Self.frames.count == 18)
    var outcomes = (packets: 0, errors: 0)
    let turns = await Fuzzing.manyTimes(10_000, of: "frames") { random in
      let frame = Self.frames[Int.random(in: 0..<Self.frames.count, using: &random)]
      let text = String(decoding: Fuzzing.mutated(Array(frame.utf8), &random), as: UTF8.self)
      do throws(SocketProtocolError) {
        let packet = try EnginePacket(text)
        // Duplicate members and spaces disappear, so the texts may differ.
        #expect(try EnginePacket(packet.text) == packet, "\(text)")
        if case .message(let data) = packet {
          let content = try SocketPacket(data)
          #expect(try SocketPacket(content.text) == content, "\(text)")
        }
        outcomes.packets += 1
      } catch {
        #expect(!error.failure.cause.isEmpty)
        outcomes.errors += 1
      }
    }
    #expect(outcomes.packets + outcomes.errors == turns)
    #expect(outcomes.packets > 500)
    #expect(outcomes.errors > 500)
  }

  @Test("2,000 conversations of up to 12 mutated frames")
  func conversations() async throws {
    let namespace = try SocketNamespace("/ws")
    var ends = (connected: 0, errors: 0, others: 0)
    let turns = await Fuzzing.manyTimes(2_000, of: "conversations") { random in
      var conversation = SocketConversation(namespace, limit: 4_096)
      var wasConnected = false
      // Most conversations begin well.
      let beginning = [Self.frames[0], #"40/ws,{"sid":"s1"}"#].prefix(Int.random(in: 0...3, using: &random))
      do throws(SocketProtocolError) {
        for frame in beginning { _ = try conversation.receive(frame) }
        for _ in 0..<12 {
          wasConnected = wasConnected || conversation.isConnected
          let frame = Self.frames[Int.random(in: 0..<Self.frames.count, using: &random)]
          let isMutated = Bool.random(using: &random)
          let bytes = isMutated ? Fuzzing.mutated(Array(frame.utf8), &random) : Array(frame.utf8)
          for action in try conversation.receive(String(decoding: bytes, as: UTF8.self)) {
            // Events are for those who are connected.
            if case .event = action { #expect(conversation.isConnected) }
            if case .acknowledged = action { #expect(conversation.isConnected) }
            if case .ended = action { #expect(!conversation.isConnected) }
          }
        }
        if wasConnected { ends.connected += 1 } else { ends.others += 1 }
      } catch {
        ends.errors += 1
      }
    }
    #expect(ends.connected + ends.errors + ends.others == turns)
    #expect(ends.connected > 20)
    #expect(ends.errors > 100)
  }
}
