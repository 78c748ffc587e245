import NIOCore
import NIOWebSocket

/// Removes oversized text frames from the input before NIO's decoder, and fires an `Incoming` event with the beginning
/// of each. NIO's decoder and `NIOWebSocketFrameAggregator` report such a frame as an error without its content, so
/// that the request in it could not be answered and the connection would end.
final class OversizeFrameHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private enum State {
    case header
    /// This many more bytes of a frame go to the decoder.
    case passing(Int)
    /// This many more bytes of an oversized frame are skipped.
    case oversized(Int, WebSocketMaskingKey)
  }
  private var state = State.header
  /// An incomplete header.
  private var part: ByteBuffer?
  private var beginning = ByteBuffer()
  private let longest: Int

  init(longest: Int) { self.longest = longest }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if var part {
      part.writeBuffer(&bytes)
      bytes = part
      self.part = nil
    }
    let all = bytes
    var start = bytes.readerIndex
    while bytes.readableBytes > 0 {
      switch state {
      case .header:
        guard let header = FrameHeader(bytes) else {
          part = bytes.slice()
          return pass(all, start..<bytes.readerIndex, context)
        }
        if let key = header.key, header.isText, longest + 1...longest * Incoming.skippedMultiple ~= header.length {
          pass(all, start..<bytes.readerIndex, context)
          bytes.moveReaderIndex(forwardBy: header.bytes)
          start = bytes.readerIndex
          beginning = ByteBuffer()
          state = .oversized(header.length, key)
        } else {
          bytes.moveReaderIndex(forwardBy: header.bytes)
          state = header.length > 0 ? .passing(header.length) : .header
        }
      case .passing(let rest):
        let length = min(rest, bytes.readableBytes)
        bytes.moveReaderIndex(forwardBy: length)
        state = rest > length ? .passing(rest - length) : .header
      case .oversized(let rest, let key):
        let length = min(rest, bytes.readableBytes)
        collect(&bytes, length, key, context)
        start = bytes.readerIndex
        state = rest > length ? .oversized(rest - length, key) : .header
      }
    }
    pass(all, start..<bytes.readerIndex, context)
  }

  private func pass(_ bytes: ByteBuffer, _ range: Range<Int>, _ context: ChannelHandlerContext) {
    guard !range.isEmpty, let passed = bytes.getSlice(at: range.lowerBound, length: range.count) else { return }
    context.fireChannelRead(wrapInboundOut(passed))
  }

  private func collect(
    _ bytes: inout ByteBuffer, _ length: Int, _ key: WebSocketMaskingKey, _ context: ChannelHandlerContext
  ) {
    let room = longest - beginning.readableBytes
    guard var piece = bytes.readSlice(length: length), room > 0 else { return }
    piece.moveWriterIndex(to: piece.readerIndex + min(room, length))
    beginning.writeBuffer(&piece)
    guard beginning.readableBytes == longest else { return }
    beginning.webSocketUnmask(key)
    context.fireUserInboundEventTriggered(
      Incoming.refused(beginning: beginning, bytes: beginning.readableBytes, .messageTooLarge))
  }
}

/// The first bytes of a frame (RFC 6455, 5.2).
private struct FrameHeader {
  /// The length of the header itself.
  let bytes: Int
  /// The length of the payload.
  let length: Int
  let key: WebSocketMaskingKey?
  /// Whether the frame is a complete text message without extensions.
  let isText: Bool

  /// nil if the header is incomplete.
  init?(_ buffer: ByteBuffer) {
    var buffer = buffer
    let begin = buffer.readerIndex
    guard let first: UInt8 = buffer.readInteger(), let second: UInt8 = buffer.readInteger() else { return nil }
    isText = first == 0x81
    switch second & 0x7F {
    case 126:
      guard let number: UInt16 = buffer.readInteger() else { return nil }
      length = Int(number)
    case 127:
      guard let number: UInt64 = buffer.readInteger() else { return nil }
      length = Int(clamping: number)
    case let number: length = Int(number)
    }
    if second & 0x80 != 0 {
      guard let mask = buffer.readBytes(length: 4) else { return nil }
      key = WebSocketMaskingKey(mask)
    } else {
      key = nil
    }
    bytes = buffer.readerIndex - begin
  }
}
