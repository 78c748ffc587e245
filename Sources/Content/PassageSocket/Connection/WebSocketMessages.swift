internal import NIOCore
internal import NIOWebSocket

/// A message of the server.
enum IncomingMessage: Sendable {
  case text(String)
  /// An attachment of Socket.IO. Nothing is kept of it but its length.
  case binary(bytes: Int)
}

/// What the client writes to the WebSocket.
enum OutgoingFrame: Sendable {
  /// An event or an acknowledgement.
  case message(String)
  /// An answer that the server asked for, such as a pong.
  case answer(String)
  /// The end of the connection, with the reason; nil if the client is closed on purpose.
  case close(SocketError?)
}

/// Assembles the server's messages from frames and their fragments (RFC 6455, 5.4), answers pings and close frames,
/// and masks what the client sends (RFC 6455, 5.3). Every violation is an error of the type `SocketError`, which the
/// next handler gets.
final class WebSocketMessages: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = IncomingMessage
  typealias OutboundIn = OutgoingFrame
  typealias OutboundOut = WebSocketFrame

  /// Many small fragments cost more to process than their content justifies.
  private static let maximumFragments = 1_024
  /// A server that asks for more answers than this number without reading them is disconnected.
  private static let maximumUnsentAnswers = 1_024

  private let longest: Int
  private enum Partial {
    case text(ByteBuffer)
    case binary(bytes: Int)

    var length: Int {
      switch self {
      case .text(let text): text.readableBytes
      case .binary(let bytes): bytes
      }
    }
  }
  private var message: Partial?
  private var fragments = 0
  private var unsentAnswers = 0
  /// Whether a close frame was received, or an error occurred. What follows is ignored.
  private var isInputOver = false
  /// Whether a close frame was sent. It is the last frame.
  private var isOutputOver = false

  /// - Parameter longest: the length of the longest message that is accepted, in bytes.
  init(longest: Int) { self.longest = longest }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isInputOver else { return }
    do throws(SocketError) {
      try read(unwrapInboundIn(data), context)
    } catch {
      fail(error, context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !isInputOver else { return }
    fail(SocketError(whileOpen: error), context)
  }

  private func fail(_ error: SocketError, _ context: ChannelHandlerContext) {
    isInputOver = true
    message = nil
    context.fireErrorCaught(error)
  }

  // MARK: - From the server

  private func read(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) throws(SocketError) {
    guard frame.maskKey == nil else { throw .invalidFrame(.masked) }
    guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else { throw .invalidFrame(.reservedBits) }
    switch frame.opcode {
    case .text, .binary:
      guard message == nil else { throw .invalidFrame(.fragmentation) }
      fragments = 0
      try append(frame, to: frame.opcode == .text ? .text(ByteBuffer()) : .binary(bytes: 0), context)
    case .continuation:
      guard let message else { throw .invalidFrame(.fragmentation) }
      // There is one copy, to which the fragment is appended in place.
      self.message = nil
      try append(frame, to: message, context)
    case .ping: try answer(WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.data), context)
    case .pong: break
    case .connectionClose: try close(frame, context)
    default: throw .invalidFrame(.unknownType)
    }
  }

  private func append(
    _ frame: WebSocketFrame, to begun: consuming Partial, _ context: ChannelHandlerContext
  ) throws(SocketError) {
    var data = frame.data
    fragments += 1
    guard fragments <= Self.maximumFragments, data.readableBytes <= longest - begun.length else {
      throw .invalidFrame(.tooLarge)
    }
    switch consume begun {
    case .binary(let bytes):
      let bytes = bytes + data.readableBytes
      guard frame.fin else {
        message = .binary(bytes: bytes)
        return
      }
      context.fireChannelRead(wrapInboundOut(.binary(bytes: bytes)))
    case .text(var whole):
      whole.writeBuffer(&data)
      guard frame.fin else {
        message = .text(whole)
        return
      }
      guard let text = (try? whole.readUTF8ValidatedString(length: whole.readableBytes)) ?? nil else {
        throw .invalidFrame(.malformedText)
      }
      context.fireChannelRead(wrapInboundOut(.text(text)))
    }
  }

  /// Echoes the status code of a close frame (RFC 6455, 5.5.1), unless the client sent one first.
  private func close(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) throws(SocketError) {
    var body = frame.data
    var code: UInt16?
    if body.readableBytes > 0 {
      guard let number: UInt16 = body.readInteger(), Self.mayBeSent(number),
        (try? body.readUTF8ValidatedString(length: body.readableBytes)) != nil
      else { throw .invalidFrame(.malformedClose) }
      code = number
    }
    if !isOutputOver {
      isOutputOver = true
      var data = ByteBuffer()
      if let code { data.writeInteger(code) }
      let echo = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
      context.writeAndFlush(wrapOutboundOut(echo), promise: nil)
    }
    throw .closedByServer(code: code.map(Int.init))
  }

  /// Whether a close frame may contain this code (RFC 6455, 7.4, and the IANA registry).
  private static func mayBeSent(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  // MARK: - To the server

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isOutputOver else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .message(let text): context.write(wrapOutboundOut(Self.frame(text)), promise: promise)
    case .answer(let text):
      do throws(SocketError) {
        try answer(Self.frame(text), context)
        promise?.succeed()
      } catch {
        promise?.fail(error)
        fail(error, context)
      }
    case .close(let reason):
      isOutputOver = true
      var data = ByteBuffer()
      data.write(webSocketErrorCode: reason?.closingCode ?? .normalClosure)
      let frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
      context.write(wrapOutboundOut(frame), promise: promise)
    }
  }

  private static func frame(_ text: String) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text))
  }

  private func answer(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) throws(SocketError) {
    guard !isOutputOver else { return }
    guard unsentAnswers < Self.maximumUnsentAnswers else { throw .flooded }
    unsentAnswers += 1
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(frame)).assumeIsolated().whenComplete { _ in bound.value.unsentAnswers -= 1 }
  }
}
