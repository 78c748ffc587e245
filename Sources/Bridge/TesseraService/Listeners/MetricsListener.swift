import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import TesseraCore

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
    let isPage = request.method == .GET && request.uri == "/metrics"
    let body = context.channel.allocator.buffer(string: isPage ? metrics.text : "404 Not Found\n")
    let head = HTTPResponseHead(
      version: .http1_1, status: isPage ? .ok : .notFound,
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
