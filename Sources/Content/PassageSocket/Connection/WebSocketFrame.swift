/// A frame that the client sends. It is masked, as a server demands (RFC 6455, 5.3).
enum WebSocketFrame: Sendable {
  case text(String)
  case pong([UInt8])
  case close(code: Int?)

  var bytes: [UInt8] {
    switch self {
    case .text(let text): Self.masked(0x1, Array(text.utf8))
    case .pong(let content): Self.masked(0xA, content)
    case .close(let code?): Self.masked(0x8, [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)])
    case .close(nil): Self.masked(0x8, [])
    }
  }

  private static func masked(_ opcode: UInt8, _ content: [UInt8]) -> [UInt8] {
    var frame: [UInt8] = []
    frame.reserveCapacity(content.count + 14)
    frame.append(0x80 | opcode)
    let (code, bytes) = content.count < 126 ? (content.count, 0) : content.count <= 0xFFFF ? (126, 2) : (127, 8)
    frame.append(0x80 | UInt8(code))
    for place in stride(from: 8 * (bytes - 1), through: 0, by: -8) {
      frame.append(UInt8(truncatingIfNeeded: content.count >> place))
    }
    var generator = SystemRandomNumberGenerator()
    let key = generator.next()
    let mask = (0..<4).map { UInt8(truncatingIfNeeded: key >> (8 * UInt64($0))) }
    frame += mask
    for (index, byte) in content.enumerated() { frame.append(byte ^ mask[index & 3]) }
    return frame
  }
}
