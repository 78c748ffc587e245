import Bridge
import NIOCore

/// One message a line, in UTF-8 (RFC 3629). A line may end with CR LF; empty lines mean nothing. A line that is too long is
/// passed over up to its end.
struct LineDecoder: NIOSingleStepByteToMessageDecoder {
  typealias InboundOut = Incoming
  private let longest: Int
  /// How much of the buffer has no line end.
  private var searched = 0
  /// How much of a line that is too long has come.
  private var passed = 0

  init(longest: Int) { self.longest = longest }

  /// - Throws: `ClosingReason.messageTooLarge` for a line that does not end.
  mutating func decode(buffer: inout ByteBuffer) throws -> Incoming? {
    while true {
      let view = buffer.readableBytesView
      let end = view.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n"))
      let length = (end ?? view.endIndex) - view.startIndex
      if passed > 0 || length > longest {
        if let refused = try pass(length, isEnd: end != nil, &buffer) { return refused }
      } else if end != nil, let line = buffer.readSlice(length: length) {
        buffer.moveReaderIndex(forwardBy: 1)
        searched = 0
        if let message = Self.message(line) { return message }
      } else {
        searched = length
      }
      guard end != nil else { return nil }
    }
  }

  /// - Returns: a refusal as soon as the line is known to be too long.
  private mutating func pass(_ length: Int, isEnd: Bool, _ buffer: inout ByteBuffer) throws -> Incoming? {
    let isNews = passed == 0
    passed += length
    guard passed <= longest * Incoming.passedOver else { throw ClosingReason.messageTooLarge }
    let bytes = buffer.readSlice(length: length)
    searched = 0
    if isEnd {
      buffer.moveReaderIndex(forwardBy: 1)
      passed = 0
    }
    return isNews ? bytes.map { .refused(beginning: $0, bytes: length, .messageTooLarge) } : nil
  }

  /// What has no line end when the connection ends is no message.
  mutating func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> Incoming? { try decode(buffer: &buffer) }

  private static func message(_ line: ByteBuffer) -> Incoming? {
    var line = line
    if line.readableBytesView.last == UInt8(ascii: "\r") { line.moveWriterIndex(to: line.writerIndex - 1) }
    guard line.readableBytes > 0 else { return nil }
    guard let text = try? line.getUTF8ValidatedString(at: line.readerIndex, length: line.readableBytes) else {
      return .refused(beginning: line, bytes: line.readableBytes, .malformedText)
    }
    return .message(text)
  }
}

/// Writes messages as lines; the last one of a connection that is closed is an event.
final class LineEncoder: ChannelOutboundHandler {
  typealias OutboundIn = Outgoing
  typealias OutboundOut = ByteBuffer

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var buffer = context.channel.allocator.buffer(capacity: 0)
    switch unwrapOutboundIn(data) {
    case .message(let text):
      buffer.reserveCapacity(text.utf8.count + 1)
      buffer.writeString(text)
      buffer.writeInteger(UInt8(ascii: "\n"))
    case .closing(let reason):
      let event = BridgeMessage.event(
        domain: .lifecycle, name: "closing",
        data: ["code": .string(reason.rawValue), "message": .string(reason.message)])
      buffer.writeString(event.text + "\n")
    case .end: break
    }
    context.write(wrapOutboundOut(buffer), promise: promise)
  }
}
