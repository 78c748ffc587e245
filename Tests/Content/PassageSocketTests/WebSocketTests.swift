import TestSupport
import Testing

@testable import PassageSocket

@Suite("WebSocket")
struct WebSocketTests {
  /// The examples of RFC 6455, 5.7, and what the client makes of them.
  private static let examples: [(bytes: [UInt8], events: [WebSocketReader.Event])] = [
    ([0x81, 0x05] + Array("Hello".utf8), [.text("Hello")]),
    ([0x01, 0x03] + Array("Hel".utf8) + [0x80, 0x02] + Array("lo".utf8), [.text("Hello")]),
    ([0x89, 0x05] + Array("Hello".utf8), [.ping(Array("Hello".utf8))]),
    ([0x82, 0x7E, 0x01, 0x00] + [UInt8](repeating: 7, count: 256), [.binary(bytes: 256)]),
    ([0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 7, count: 65_536), [.binary(bytes: 65_536)]),
  ]

  private static func events(
    _ bytes: [UInt8], in pieces: Int, longest: Int = 1 << 20
  ) throws -> [WebSocketReader.Event] {
    var reader = WebSocketReader(longest: longest)
    var events: [WebSocketReader.Event] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      var piece = rest.prefix(pieces)
      rest.removeFirst(piece.count)
      while let event = try reader.next(&piece) { events.append(event) }
      #expect(piece.isEmpty)
    }
    return events
  }

  @Test("the examples of RFC 6455, in pieces of every length", arguments: [1, 2, 3, 5, 64, 1 << 20])
  func examples(pieces: Int) throws {
    for (bytes, events) in Self.examples { #expect(try Self.events(bytes, in: pieces) == events) }
    let all = try Self.events(Self.examples.flatMap(\.bytes), in: pieces)
    #expect(all == Self.examples.flatMap(\.events))
  }

  @Test("a ping may come between fragments; empty messages and close frames without a code are valid")
  func unusual() throws {
    let ping: [UInt8] = [0x01, 0x01, 0x61, 0x89, 0x00, 0x80, 0x01, 0x62, 0x8A, 0x01, 0x00]
    #expect(try Self.events(ping, in: 100) == [.ping([]), .text("ab")])
    #expect(
      try Self.events([0x81, 0x00, 0x82, 0x00, 0x88, 0x00], in: 1) == [.text(""), .binary(bytes: 0), .close(code: nil)])
    #expect(try Self.events([0x88, 0x03, 0x0F, 0xA1, 0x78], in: 1) == [.close(code: 4001)])
  }

  @Test(
    "every violation has its name",
    arguments: [
      ([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], .masked), ([0xC1, 0x00], .reservedBits),
      ([0xA1, 0x00], .reservedBits), ([0x91, 0x00], .reservedBits),
      ([0x83, 0x00], .unknownType), ([0x8B, 0x00], .unknownType), ([0x80, 0x00], .fragmentation),
      ([0x01, 0x00, 0x81, 0x00], .fragmentation), ([0x09, 0x00], .fragmentation), ([0x89, 0x7E], .controlLength),
      ([0x82, 0x05], .tooLarge), ([0x82, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .tooLarge),
      ([0x01, 0x03, 0x61, 0x61, 0x61, 0x80, 0x02], .tooLarge), ([0x81, 0x01, 0xFF], .malformedText),
      ([0x88, 0x01, 0x03], .malformedClose), ([0x88, 0x02, 0x03, 0xED], .malformedClose),
      ([0x88, 0x03, 0x03, 0xE8, 0xFF], .malformedClose),
    ] as [([UInt8], SocketError.FrameViolation)])
  func violations(_ bytes: [UInt8], _ violation: SocketError.FrameViolation) {
    for pieces in [1, 100] {
      #expect(throws: SocketError.invalidFrame(violation)) { try Self.events(bytes, in: pieces, longest: 4) }
    }
  }

  @Test("random bytes are read to their end or refused", .timeLimit(.minutes(5)))
  func random() {
    var generator = SystemRandomNumberGenerator()
    var refusals = 0
    for _ in 0..<20_000 {
      // Valid heads are likely this way.
      let bytes = (0..<Int.random(in: 1...64, using: &generator)).flatMap { _ -> [UInt8] in
        let length = UInt8.random(in: 0...9, using: &generator)
        return [[0x01, 0x80, 0x81, 0x82, 0x89, 0x8A].randomElement(using: &generator) ?? 0x81, length]
          + (0..<length).map { _ in UInt8.random(in: 0...0x9F, using: &generator) }
      }
      do { _ = try Self.events(bytes, in: Int.random(in: 1...20, using: &generator), longest: 100) } catch {
        refusals += 1
      }
    }
    #expect(1..<20_000 ~= refusals)
  }

  @Test(
    "what the client sends is masked, and its length has the shortest form", arguments: [0, 125, 126, 65_535, 65_536])
  func frames(_ length: Int) throws {
    let text = String(repeating: "x", count: length)
    let frame = WebSocketFrame.text(text).bytes
    let head = length < 126 ? 2 : length < 65_536 ? 4 : 10
    #expect(frame.count == head + 4 + length && frame[0] == 0x81)
    #expect(frame[1] == 0x80 | UInt8(length < 126 ? length : length < 65_536 ? 126 : 127))
    if head > 2 { #expect(frame[2..<head].reduce(0) { $0 << 8 | Int($1) } == length) }
    let mask = frame[head..<head + 4]
    let content = frame[(head + 4)...].enumerated().map { $1 ^ mask[head + ($0 & 3)] }
    #expect(content.elementsEqual(text.utf8))
    #expect(WebSocketFrame.close(code: 1002).bytes.count == 8 && WebSocketFrame.close(code: nil).bytes.count == 6)
  }

  @Test("the server's answer to the key is that of the RFC's example (1.3)")
  func acceptance() {
    #expect(WebSocketHandshake.acceptance(of: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }
}
