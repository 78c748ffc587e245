import NIOCore

/// Closes a connection whose handshake takes too long or too much; is gone when the handshake is done.
final class HandshakeLimit: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let core: ServiceCore
  private var bytesLeft: Int
  private var timer: Scheduled<Void>?

  init(_ core: ServiceCore) {
    self.core = core
    bytesLeft = core.limits.handshakeBytes
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let bound = context.loopBound
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(core.limits.handshakeTime)) {
      self.core.measures.refusedConnection("HANDSHAKE_TIME")
      bound.value.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    bytesLeft -= unwrapInboundIn(data).readableBytes
    guard bytesLeft >= 0 else {
      core.measures.refusedConnection("HANDSHAKE_BYTES")
      return context.close(promise: nil)
    }
    context.fireChannelRead(data)
  }
}
