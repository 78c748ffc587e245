import NIOCore
import NIOHTTP1
import TesseraThreads

/// Ends a connection whose handshake takes too long (408) or is too large (431), or that is evicted by later handshakes
/// (503). Is removed after the handshake.
final class HandshakeLimit: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let core: ServiceCore
  private var bytesLeft: Int
  private var timer: Scheduled<Void>?
  private var number: Int?
  private var context: ChannelHandlerContext?
  /// Whether a response was written already.
  private var isAnswered = false
  private var isOver = false

  init(_ core: ServiceCore) {
    self.core = core
    bytesLeft = core.limits.handshakeBytes
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    number = core.handshakes.add(NIOLoopBound(self, eventLoop: context.eventLoop))
    let bound = context.loopBound
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(core.limits.handshakeTime)) {
      self.end("HANDSHAKE_TIME", .requestTimeout, bound.value)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    if let number { core.handshakes.remove(number) }
    self.context = nil
  }

  /// Closes this handshake, the oldest of too many.
  func evict() {
    if let context { end("HANDSHAKES", .serviceUnavailable, context) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    bytesLeft -= unwrapInboundIn(data).readableBytes
    guard bytesLeft >= 0 else { return end("HANDSHAKE_BYTES", .requestHeaderFieldsTooLarge, context) }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    isAnswered = true
    context.write(data, promise: promise)
  }

  private func end(_ reason: String, _ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
    isOver = true
    guard !isAnswered else { return context.close(promise: nil) }
    core.measures.refusedConnection(reason)
    // Without this header, a page of any site could detect the service by this response.
    let head = """
      HTTP/1.1 \(status.code) \(status.reasonPhrase)\r
      Content-Length: 0\r
      Cross-Origin-Resource-Policy: same-origin\r
      Cache-Control: no-store\r
      Connection: close\r
      \r

      """
    let bound = context.loopBound
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head))).assumeIsolated().whenComplete { _ in
      bound.value.close(promise: nil)
    }
  }
}

/// The pending handshakes. Pages of any site can open them, so they do not count as connections: beyond a separate
/// limit, the oldest one is closed. A browser completes its handshake within milliseconds.
final class WaitingHandshakes: Sendable {
  private struct State {
    var handlers: [Int: NIOLoopBound<HandshakeLimit>] = [:]
    var last = 0
  }
  private let limit: Int
  private let state = Locked(State())

  init(limit: Int) { self.limit = limit }

  /// - Returns: the number for `remove`.
  func add(_ handler: NIOLoopBound<HandshakeLimit>) -> Int {
    let (number, evicted) = state.withLock { state in
      state.last += 1
      state.handlers[state.last] = handler
      let oldest = state.handlers.count > limit ? state.handlers.keys.min() : nil
      return (state.last, oldest.flatMap { state.handlers.removeValue(forKey: $0) })
    }
    if let evicted { evicted.eventLoop.execute { evicted.value.evict() } }
    return number
  }

  func remove(_ number: Int) { state.withLock { _ = $0.handlers.removeValue(forKey: number) } }
}
