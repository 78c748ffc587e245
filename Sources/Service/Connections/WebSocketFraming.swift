import NIOCore
import NIOWebSocket

/// One message a text frame, or several fragments of one (RFC 6455, 5.4). Answers pings and closings; everything that the
/// RFC forbids ends the connection, and so do binary messages.
final class WebSocketFraming: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = String
  typealias OutboundIn = Outgoing
  typealias OutboundOut = WebSocketFrame

  /// A message in small pieces costs more than it is worth.
  private static let mostFragments = 1_024

  private let longest: Int
  private var message: ByteBuffer?
  private var fragments = 0
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

  /// The frame decoder's errors in the words of the service.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error as? NIOWebSocketError {
    case .invalidFrameLength: context.fireErrorCaught(ClosingReason.messageTooLarge)
    case .some: context.fireErrorCaught(ClosingReason.protocolError)
    case nil: context.fireErrorCaught(error)
    }
  }

  private func read(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) throws(ClosingReason) {
    // A client masks what it sends (5.1), and nothing was agreed on that would use the reserved bits (5.2).
    guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else { throw .protocolError }
    switch frame.opcode {
    case .text:
      guard message == nil else { throw .protocolError }
      message = context.channel.allocator.buffer(capacity: 0)
      fragments = 0
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
    case .connectionClose: answerClose(frame, context)
    default: throw .protocolError
    }
  }

  private func append(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) throws(ClosingReason) {
    var data = frame.unmaskedData
    fragments += 1
    guard fragments <= Self.mostFragments, (message?.readableBytes ?? 0) + data.readableBytes <= longest else {
      throw .messageTooLarge
    }
    message?.writeBuffer(&data)
    guard frame.fin, var whole = message else { return }
    message = nil
    guard let text = (try? whole.readUTF8ValidatedString(length: whole.readableBytes)) ?? nil else {
      throw .malformedText
    }
    context.fireChannelRead(wrapInboundOut(text))
  }

  /// The other end hears its own code, if it gave one (5.5.1), and is gone then.
  private func answerClose(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
    hasClosed = true
    let code = frame.unmaskedData.getSlice(at: frame.unmaskedData.readerIndex, length: 2) ?? ByteBuffer()
    let bound = context.loopBound
    context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: code)))
      .assumeIsolated().whenComplete { _ in bound.value.close(promise: nil) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !hasClosed else {
      promise?.succeed()
      return
    }
    switch unwrapOutboundIn(data) {
    case .message(let text):
      let frame = WebSocketFrame(fin: true, opcode: .text, data: context.channel.allocator.buffer(string: text))
      context.write(wrapOutboundOut(frame), promise: promise)
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
