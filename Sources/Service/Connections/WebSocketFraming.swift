import NIOCore
import NIOWebSocket

/// One message a text frame, or several fragments of one (RFC 6455, 5.4). Answers pings and closings; everything that the
/// RFC forbids ends the connection, and so do binary messages.
final class WebSocketFraming: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = Incoming
  typealias OutboundIn = Outgoing
  typealias OutboundOut = WebSocketFrame

  /// A message in small pieces costs more than it is worth.
  private static let mostFragments = 1_024

  private let longest: Int
  private var message: ByteBuffer?
  private var fragments = 0
  /// How much of a message that is too long has come.
  private var passed = 0
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
      passed = 0
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
    guard fragments <= Self.mostFragments else { throw .messageTooLarge }
    let length = (message?.readableBytes ?? 0) + data.readableBytes
    if passed > 0 || length > longest {
      try pass(data, context)
    } else {
      message?.writeBuffer(&data)
    }
    guard frame.fin, var whole = message else { return }
    message = nil
    guard passed == 0 else { return }
    guard let text = (try? whole.readUTF8ValidatedString(length: whole.readableBytes)) ?? nil else {
      throw .malformedText
    }
    context.fireChannelRead(wrapInboundOut(.message(text)))
  }

  /// The asker of a message is told as soon as the message is known to be too long; the rest is passed over.
  private func pass(_ data: ByteBuffer, _ context: ChannelHandlerContext) throws(ClosingReason) {
    var data = data
    let isNews = passed == 0
    passed += data.readableBytes
    if isNews {
      message?.writeBuffer(&data)
      refuse(message ?? data, context)
      message?.clear()
    }
    guard passed <= longest * Incoming.passedOver else { throw .messageTooLarge }
  }

  private func refuse(_ beginning: ByteBuffer, _ context: ChannelHandlerContext) {
    let refused = Incoming.refused(beginning: beginning, bytes: beginning.readableBytes, .messageTooLarge)
    context.fireChannelRead(wrapInboundOut(refused))
  }

  /// The other end hears its own code, if it gave one (5.5.1), and is gone then.
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

  /// The codes that a close frame may have (7.4 and the registry that it begins); those of the others have no meaning on
  /// the wire.
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
