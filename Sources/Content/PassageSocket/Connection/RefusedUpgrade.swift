internal import NIOCore
internal import NIOHTTP1
internal import TesseraHTTPClient

/// What the server made of the WebSocket's handshake.
enum UpgradeResult: Sendable {
  case connection(SocketConnection)
  /// The future fails with the status of the response.
  case refused(EventLoopFuture<SocketConnection>)
}

/// Gets the response of a server that did not upgrade the connection to a WebSocket.
final class RefusedUpgrade: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let promise: EventLoopPromise<SocketConnection>

  private init(_ promise: EventLoopPromise<SocketConnection>) { self.promise = promise }

  /// Adds this handler to the channel. NIO passes the response on only after this function has returned.
  static func add(to channel: any Channel) -> EventLoopFuture<UpgradeResult> {
    let promise = channel.eventLoop.makePromise(of: SocketConnection.self)
    do {
      try channel.pipeline.syncOperations.addHandler(RefusedUpgrade(promise))
    } catch {
      promise.fail(error)
    }
    return channel.eventLoop.makeSucceededFuture(.refused(promise.futureResult))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data) else { return }
    promise.fail(SocketError.http(.status(Int(head.status.code))))
  }

  func channelInactive(context: ChannelHandlerContext) {
    promise.fail(SocketError.interrupted)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }

  func handlerRemoved(context: ChannelHandlerContext) { promise.fail(SocketError.interrupted) }
}
