import NIOCore
import NIOPosix

/// A bare NIO echo server on one event loop: the baseline for a service on NIO.
public final class BareEcho: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel

  public init(path: String) async throws {
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    channel = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Echo()) }
      }
      .bind(unixDomainSocketPath: path).get()
  }

  public func stop() async throws {
    try await channel.close()
    try await group.shutdownGracefully()
  }

  private final class Echo: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.write(data, promise: nil) }
    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
  }
}
