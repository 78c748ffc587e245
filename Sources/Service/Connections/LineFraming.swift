import Bridge
import NIOCore

/// One message a line, in UTF-8 (RFC 3629). A line may end with CR LF; empty lines mean nothing, and what is not UTF-8 is not
/// JSON either and is dropped as such.
struct LineDecoder: NIOSingleStepByteToMessageDecoder {
  typealias InboundOut = String
  private let longest: Int
  /// How much of the buffer has no line end.
  private var searched = 0

  init(longest: Int) { self.longest = longest }

  /// - Throws: `ClosingReason.messageTooLarge`.
  mutating func decode(buffer: inout ByteBuffer) throws -> String? {
    while true {
      let view = buffer.readableBytesView
      guard let end = view.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) else {
        searched = view.count
        guard searched <= longest else { throw ClosingReason.messageTooLarge }
        return nil
      }
      searched = 0
      let length = end - view.startIndex
      guard length <= longest else { throw ClosingReason.messageTooLarge }
      guard let line = buffer.readSlice(length: length) else { return nil }
      buffer.moveReaderIndex(forwardBy: 1)
      if let text = Self.text(line) { return text }
    }
  }

  /// What has no line end when the connection ends is no message.
  mutating func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> String? { try decode(buffer: &buffer) }

  private static func text(_ line: ByteBuffer) -> String? {
    var line = line
    if line.readableBytesView.last == UInt8(ascii: "\r") { line.moveWriterIndex(to: line.writerIndex - 1) }
    guard line.readableBytes > 0 else { return nil }
    return (try? line.readUTF8ValidatedString(length: line.readableBytes)) ?? nil
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
