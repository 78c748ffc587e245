/// Takes apart what a server sends over a WebSocket: assembles messages from frames and their fragments, and checks their
/// heads, order, lengths and texts (RFC 6455, 5.2 to 5.5). Nothing follows an error or a close frame.
struct WebSocketReader {
  enum Event: Sendable, Equatable {
    case text(String)
    /// An attachment of Socket.IO. Nothing is kept of it but its length.
    case binary(bytes: Int)
    case ping([UInt8])
    /// The end, with its status code if the server names one.
    case close(code: Int?)
  }

  private enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  private struct Frame {
    let isFinal: Bool
    let opcode: Opcode
    /// The bytes that are still to come.
    var rest: Int
    /// The content of a control frame.
    var content: [UInt8] = []
  }

  private enum Message {
    case text([UInt8])
    case binary(bytes: Int)

    var length: Int {
      switch self {
      case .text(let text): text.count
      case .binary(let bytes): bytes
      }
    }
  }

  /// Many small fragments cost more to process than their content justifies.
  private static let maximumFragments = 1_024
  private static let maximumControl = 125

  private let longest: Int
  /// The first bytes of a frame, until they are complete: two, and those of a longer length.
  private var head: [UInt8] = []
  private var frame: Frame?
  private var message: Message?
  private var fragments = 0

  /// - Parameter longest: the length of the longest message that is accepted, in bytes.
  init(longest: Int) { self.longest = longest }

  /// Takes bytes from the front, up to the end of the next frame that means something.
  ///
  /// - Returns: nil if all bytes were taken, and more are needed.
  /// - Throws: `SocketError.invalidFrame`.
  mutating func next(_ input: inout ArraySlice<UInt8>) throws(SocketError) -> Event? {
    while true {
      if frame == nil {
        guard let begun = try readHead(&input) else { return nil }
        frame = begun
      }
      let piece = input.prefix(frame?.rest ?? 0)
      input.removeFirst(piece.count)
      frame?.rest -= piece.count
      append(piece)
      guard let complete = frame, complete.rest == 0 else { return nil }
      frame = nil
      if let event = try end(complete) { return event }
    }
  }

  // MARK: - The head of a frame

  private mutating func readHead(_ input: inout ArraySlice<UInt8>) throws(SocketError) -> Frame? {
    while let byte = input.popFirst() {
      head.append(byte)
      guard head.count >= 2 else { continue }
      if head.count == 2 { try checkHead() }
      let code = head[1]
      guard head.count == 2 + (code == 126 ? 2 : code == 127 ? 8 : 0) else { continue }
      defer { head = [] }
      guard let opcode = Opcode(rawValue: head[0] & 0x0F) else { throw .invalidFrame(.unknownType) }
      let length = code < 126 ? UInt64(code) : head[2...].reduce(0) { $0 << 8 | UInt64($1) }
      let begun = Frame(isFinal: head[0] & 0x80 != 0, opcode: opcode, rest: Int(clamping: length))
      if !opcode.isControl { try begin(begun) }
      return begun
    }
    return nil
  }

  private func checkHead() throws(SocketError) {
    guard head[1] & 0x80 == 0 else { throw .invalidFrame(.masked) }
    guard head[0] & 0x70 == 0 else { throw .invalidFrame(.reservedBits) }
    guard let opcode = Opcode(rawValue: head[0] & 0x0F) else { throw .invalidFrame(.unknownType) }
    switch opcode {
    case .text, .binary: guard message == nil else { throw .invalidFrame(.fragmentation) }
    case .continuation: guard message != nil else { throw .invalidFrame(.fragmentation) }
    case .close, .ping, .pong:
      guard head[0] & 0x80 != 0 else { throw .invalidFrame(.fragmentation) }
      guard head[1] <= Self.maximumControl else { throw .invalidFrame(.controlLength) }
    }
  }

  private mutating func begin(_ frame: Frame) throws(SocketError) {
    if frame.opcode != .continuation {
      message = frame.opcode == .text ? .text([]) : .binary(bytes: 0)
      fragments = 0
    }
    fragments += 1
    guard fragments <= Self.maximumFragments, frame.rest <= longest - (message?.length ?? 0) else {
      throw .invalidFrame(.tooLarge)
    }
  }

  // MARK: - The content

  private mutating func append(_ piece: ArraySlice<UInt8>) {
    guard frame?.opcode.isControl == false else {
      frame?.content += piece
      return
    }
    // There is one copy of the message, to which the piece is appended in place.
    let begun = message
    message = nil
    switch consume begun {
    case .text(var text)?:
      text += piece
      message = .text(text)
    case .binary(let bytes)?: message = .binary(bytes: bytes + piece.count)
    case nil: break
    }
  }

  private mutating func end(_ frame: Frame) throws(SocketError) -> Event? {
    switch frame.opcode {
    case .pong: return nil
    case .ping: return .ping(frame.content)
    case .close: return .close(code: try Self.code(frame.content))
    case .text, .binary, .continuation:
      guard frame.isFinal else { return nil }
      defer { message = nil }
      switch message {
      case .text(let bytes)?:
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidFrame(.malformedText) }
        return .text(text)
      case .binary(let bytes)?: return .binary(bytes: bytes)
      case nil: return nil
      }
    }
  }

  /// The code of a close frame, whose text says why in UTF-8 (RFC 6455, 5.5.1).
  private static func code(_ content: [UInt8]) throws(SocketError) -> Int? {
    guard !content.isEmpty else { return nil }
    guard content.count >= 2, String(validating: content.dropFirst(2), as: UTF8.self) != nil else {
      throw .invalidFrame(.malformedClose)
    }
    let code = Int(content[0]) << 8 | Int(content[1])
    switch code {
    // Those that a frame may have (RFC 6455, 7.4, and the IANA registry).
    case 1000...1003, 1007...1014, 3000...4999: return code
    default: throw .invalidFrame(.malformedClose)
    }
  }
}
