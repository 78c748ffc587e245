import FoundationEssentials
import Glibc
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import TesseraCore
internal import TesseraMetrics

/// Serves the metrics over HTTP on a separate Unix socket, to the user who runs the service:
/// `curl --unix-socket $XDG_RUNTIME_DIR/tessera/metrics.sock http://localhost/metrics`.
enum MetricsListener {
  static func listen(
    _ descriptor: Int32, metrics: PrometheusMetrics, core: ServiceCore, group: any EventLoopGroup
  ) async throws -> any Channel {
    let channel = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        PeerUser.ofUnixSocket(channel).flatMapThrowing { user in
          guard user == getuid() else { throw Failure(.peerRejected, "The connection belongs to another user.") }
          try CloseOnExecSocket.set(channel)
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(HandshakeLimit(core))
          try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
          try pipeline.addHandler(MetricsPage(metrics))
        }
      }
      .withBoundSocket(descriptor).get()
    try await channel.pipeline.addHandler(ListenerErrors(.metrics, core))
    return channel
  }
}

private final class MetricsPage: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let metrics: PrometheusMetrics

  init(_ metrics: PrometheusMetrics) { self.metrics = metrics }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let request) = unwrapInboundIn(data) else { return }
    guard request.method == .GET, request.uri == "/metrics" else {
      return answer("404 Not Found\n", .notFound, context)
    }
    let bound = context.loopBound
    context.eventLoop.makeFutureWithTask { [metrics] in await metrics.page() }.assumeIsolated()
      .whenSuccess { self.answer($0, .ok, bound.value) }
  }

  private func answer(_ text: String, _ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
    let body = context.channel.allocator.buffer(string: text)
    let head = HTTPResponseHead(
      version: .http1_1, status: status,
      headers: [
        "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Content-Length": "\(body.readableBytes)",
        "Connection": "close",
      ])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    let bound = context.loopBound
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      bound.value.close(promise: nil)
    }
  }
}

/// Logs why connections could not be accepted or initialized. NIO closes them silently.
///
/// Must be the last handler in the pipeline of a listening socket, after NIO's handler that initializes connections.
final class ListenerErrors: ChannelInboundHandler, Sendable {
  typealias InboundIn = any Channel

  enum Kind: String {
    case unix = "Unix socket"
    case webSocket = "loopback port"
    case metrics = "metrics socket"
  }

  private let kind: Kind
  private let core: ServiceCore

  init(_ kind: Kind, _ core: ServiceCore) {
    self.kind = kind
    self.core = core
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A connection of another user or a sandbox was logged already.
    if kind != .metrics, (error as? Failure)?.kind == .peerRejected { return }
    // The client disconnected before it was accepted.
    if error is ChannelError { return }
    core.measures.refusedConnection("SETUP")
    core.logger.log(
      level: core.logThrottle.level("SETUP \(kind.rawValue)", .error), "A connection could not be initialized.",
      metadata: ["at": "\(kind.rawValue)", "error": "\(error)"])
  }
}
