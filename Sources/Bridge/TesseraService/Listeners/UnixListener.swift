import FoundationEssentials
import Glibc
import Logging
import NIOCore
import NIOPosix
import TesseraBridge
import TesseraCore

/// The Unix socket: one message per line, for programs of the user who runs the service. Connections of all other
/// users, including root, are refused.
enum UnixListener {
  /// - Parameter descriptor: a bound socket, which is closed with the channel.
  /// - Throws: `Failure` of the kind `usage`.
  static func listen(
    _ descriptor: Int32, core: ServiceCore, group: any EventLoopGroup
  ) async throws -> any Channel {
    let channel = try await ServerBootstrap(group: group)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        PeerUser.ofUnixSocket(channel).flatMapThrowing { user in
          guard user == getuid() else { throw refusal(core) }
          try CloseOnExecSocket.set(channel)
          let isAdmitted = core.quota.enter(.local)
          if isAdmitted { channel.closeFuture.whenComplete { _ in core.quota.leave(.local) } }
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(ByteToMessageHandler(LineDecoder(longest: core.limits.messageBytes)))
          try pipeline.addHandler(LineEncoder())
          try pipeline.addHandler(
            ConnectionHandler(core, .local, ConnectionGrants(current: core.grants), isAdmitted: isAdmitted))
        }
      }
      .withBoundSocket(descriptor).get()
    try await channel.pipeline.addHandler(ListenerErrors(.unix, core))
    // NIO uses a short backlog for sockets that it did not bind itself.
    Glibc.listen(descriptor, Int32(clamping: core.limits.connections))
    return channel
  }

  /// Logs the refusal. NIO closes a connection whose initializer throws.
  private static func refusal(_ core: ServiceCore) -> Failure {
    core.measures.refusedConnection("USER")
    core.logger.log(
      level: core.logThrottle.level("USER", .warning), "A connection of another user to the Unix socket was refused.")
    return Failure(.peerRejected, "The connection belongs to another user.")
  }
}
