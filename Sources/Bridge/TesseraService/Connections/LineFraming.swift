import NIOCore
import TesseraBridge

/// Splits the input into messages: one per line, in UTF-8 (RFC 3629). A line may end with CR LF; empty lines are
/// ignored, and so is a byte order mark. A line that is too long is refused and skipped up to its end.
struct LineDecoder: NIOSingleStepByteToMessageDecoder {
  typealias InboundOut = Incoming
  private let longest: Int
  /// The number of bytes at the beginning of the buffer that contain no line end.
  private var searched = 0
  /// The number of bytes of an oversized line that were skipped; 0 outside of such a line.
  private var skipped = 0

  init(longest: Int) { self.longest = longest }

  /// - Throws: `ClosingReason.messageTooLarge` for a line that does not end.
  mutating func decode(buffer: inout ByteBuffer) throws -> Incoming? {
    while true {
      let view = buffer.readableBytesView
      let end = view.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n"))
      let length = (end ?? view.endIndex) - view.startIndex
      if skipped > 0 || length > longest {
        if let refused = try skip(length, isEnd: end != nil, &buffer) { return refused }
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

  /// - Returns: a refusal as soon as the line is known to be too long, once for each line.
  private mutating func skip(_ length: Int, isEnd: Bool, _ buffer: inout ByteBuffer) throws -> Incoming? {
    let isFirst = skipped == 0
    skipped += length
    guard skipped <= longest * Incoming.skippedMultiple else { throw ClosingReason.messageTooLarge }
    let bytes = buffer.readSlice(length: length)
    searched = 0
    if isEnd {
      buffer.moveReaderIndex(forwardBy: 1)
      skipped = 0
    }
    return isFirst ? bytes.map { .refused(beginning: $0, bytes: length, .messageTooLarge) } : nil
  }

  /// Ignores a last line without a line end: it may be incomplete.
  mutating func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> Incoming? { try decode(buffer: &buffer) }

  private static func message(_ line: ByteBuffer) -> Incoming? {
    var line = line
    if line.readableBytesView.last == UInt8(ascii: "\r") { line.moveWriterIndex(to: line.writerIndex - 1) }
    // A stream writer of .NET begins with one (microsoft/vs-streamjsonrpc #695; RFC 8259, 8.1).
    if line.readableBytesView.starts(with: [0xEF, 0xBB, 0xBF]) { line.moveReaderIndex(forwardBy: 3) }
    guard line.readableBytes > 0 else { return nil }
    guard let text = try? line.getUTF8ValidatedString(at: line.readerIndex, length: line.readableBytes) else {
      return .refused(beginning: line, bytes: line.readableBytes, .malformedText)
    }
    return .message(text)
  }
}

/// Writes messages as lines, and a closing reason as a last event.
final class LineEncoder: ChannelOutboundHandler {
  typealias OutboundIn = Outgoing
  typealias OutboundOut = ByteBuffer

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var buffer = ByteBuffer()
    switch unwrapOutboundIn(data) {
    case .messages(let messages):
      buffer = context.channel.allocator.buffer(capacity: messages.reduce(0) { $0 + $1.count + 1 })
      for message in messages {
        buffer.writeBytes(message)
        buffer.writeInteger(UInt8(ascii: "\n"))
      }
    case .closing(let reason):
      let event = BridgeMessage.event(
        domain: .lifecycle, name: "closing",
        data: ["code": .string(reason.rawValue), "message": .string(reason.message)])
      buffer.writeBytes(event.encoded())
      buffer.writeInteger(UInt8(ascii: "\n"))
    case .end: break
    }
    context.write(wrapOutboundOut(buffer), promise: promise)
  }
}

/// The output of a connection, which the framing encodes for the wire.
enum Outgoing: Sendable {
  /// Encoded messages, in their order.
  case messages([[UInt8]])
  /// The last data of a connection that the service closes.
  case closing(ClosingReason)
  /// No data. Its write completes after all writes before it.
  case end
}
