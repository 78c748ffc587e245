import NIOCore
import NIOWebSocket

/// Assembles messages from text frames and their fragments (RFC 6455, 5.4), and answers pings and close frames. A
/// protocol violation or a binary message ends the connection.
///
/// `NIOWebSocketFrameAggregator` does not fit: it discards the beginning of an oversized message, so that the request
/// in it could not be answered with `MESSAGE_TOO_LARGE`, and its errors would end the connection.
final class WebSocketFraming: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = Incoming
  typealias OutboundIn = Outgoing
  typealias OutboundOut = WebSocketFrame

  /// Many small fragments cost more to process than their content justifies.
  private static let maximumFragments = 1_024

  private let longest: Int
  private var message: ByteBuffer?
  private var fragments = 0
  /// The number of bytes of an oversized message that were skipped; 0 outside of such a message.
  private var skipped = 0
  private var hasClosed = false

  init(longest: Int) { self.longest = longest }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasClosed else { return }
    do {
      try read(unwrapInboundIn(data), context)
    } catch {
      context.fireErrorCaught(error)
    }
  }

  /// Maps the errors of the frame decoder to closing reasons.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error as? NIOWebSocketError {
    case .invalidFrameLength: context.fireErrorCaught(ClosingReason.messageTooLarge)
    case .some: context.fireErrorCaught(ClosingReason.protocolError)
    case nil: context.fireErrorCaught(error)
    }
  }

  private func read(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) throws(ClosingReason) {
    // A client masks its frames (RFC 6455, 5.1), and no extension was negotiated that uses the reserved bits (RFC 6455,
    // 5.2).
    guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else { throw .protocolError }
    switch frame.opcode {
    case .text:
      guard message == nil else { throw .protocolError }
      message = context.channel.allocator.buffer(capacity: 0)
      fragments = 0
      skipped = 0
      try append(frame, context)
    case .continuation:
      guard message != nil else { throw .protocolError }
      try append(frame, context)
    case .binary: throw .notText
    case .ping:
      guard frame.fin else { throw .protocolError }
      let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
      context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
    case .pong: break
    case .connectionClose: try answerClose(frame, context)
    default: throw .protocolError
    }
  }

  private func append(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) throws(ClosingReason) {
    var data = frame.unmaskedData
    fragments += 1
    guard fragments <= Self.maximumFragments else { throw .messageTooLarge }
    let length = (message?.readableBytes ?? 0) + data.readableBytes
    if skipped > 0 || length > longest {
      try skip(data, context)
    } else {
      message?.writeBuffer(&data)
    }
    guard frame.fin, var whole = message else { return }
    message = nil
    guard skipped == 0 else { return }
    guard let text = (try? whole.readUTF8ValidatedString(length: whole.readableBytes)) ?? nil else {
      throw .malformedText
    }
    context.fireChannelRead(wrapInboundOut(.message(text)))
  }

  /// Refuses a message as soon as it is known to be too long, and skips the rest.
  private func skip(_ data: ByteBuffer, _ context: ChannelHandlerContext) throws(ClosingReason) {
    var data = data
    let isFirst = skipped == 0
    skipped += data.readableBytes
    if isFirst {
      message?.writeBuffer(&data)
      refuse(message ?? data, context)
      message?.clear()
    }
    guard skipped <= longest * Incoming.skippedMultiple else { throw .messageTooLarge }
  }

  private func refuse(_ beginning: ByteBuffer, _ context: ChannelHandlerContext) {
    let refused = Incoming.refused(beginning: beginning, bytes: beginning.readableBytes, .messageTooLarge)
    context.fireChannelRead(wrapInboundOut(refused))
  }

  /// Echoes the status code of a close frame (RFC 6455, 5.5.1) and closes.
  private func answerClose(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) throws(ClosingReason) {
    var body = frame.unmaskedData
    var code = ByteBuffer()
    if body.readableBytes > 0 {
      guard let number: UInt16 = body.getInteger(at: body.readerIndex), Self.mayBeSent(number) else {
        throw .protocolError
      }
      code = body.readSlice(length: 2) ?? code
      guard (try? body.readUTF8ValidatedString(length: body.readableBytes)) != nil else { throw .malformedText }
    }
    hasClosed = true
    let bound = context.loopBound
    context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: code)))
      .assumeIsolated().whenComplete { _ in bound.value.close(promise: nil) }
  }

  /// Whether a close frame may contain this code (RFC 6455, 7.4, and the IANA registry).
  private static func mayBeSent(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !hasClosed else {
      promise?.succeed()
      return
    }
    switch unwrapOutboundIn(data) {
    case .messages(let messages):
      for (index, message) in messages.enumerated() {
        let frame = WebSocketFrame(fin: true, opcode: .text, data: context.channel.allocator.buffer(bytes: message))
        context.write(wrapOutboundOut(frame), promise: index == messages.count - 1 ? promise : nil)
      }
    case .closing(let reason):
      hasClosed = true
      var data = context.channel.allocator.buffer(capacity: 32)
      data.writeInteger(reason.webSocketCode)
      data.writeString(reason.rawValue)
      context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)), promise: promise)
    case .end: promise?.succeed()
    }
  }
}
