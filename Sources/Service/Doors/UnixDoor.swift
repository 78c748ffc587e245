import Bridge
import Failures
import Foundation
import Logging
import NIOCore
import NIOPosix

/// The Unix socket: one message a line, for programs of the user who runs the service, and of nobody else, root included.
enum UnixDoor {
  /// - Parameter descriptor: a bound socket; is closed with the channel.
  /// - Throws: `Failure` of the kind `usage`.
  static func listen(
    _ descriptor: Int32, core: ServiceCore, group: any EventLoopGroup
  ) async throws -> any Channel {
    let channel = try await ServerBootstrap(group: group)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        PeerUser.ofUnixSocket(channel).flatMapThrowing { user in
          guard user == getuid() else { throw refusal(core) }
          try OwnSocket.keep(channel)
          let isAdmitted = core.admission.enter(.local)
          if isAdmitted { channel.closeFuture.whenComplete { _ in core.admission.leave(.local) } }
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(ByteToMessageHandler(LineDecoder(longest: core.limits.messageBytes)))
          try pipeline.addHandler(LineEncoder())
          try pipeline.addHandler(ConnectionHandler(core, .local, isAdmitted: isAdmitted))
        }
      }
      .withBoundSocket(descriptor).get()
    try await channel.pipeline.addHandler(ListenerErrors(.unix, core))
    // NIO has a short queue for sockets that it did not bind itself, and many clients may come at once.
    Glibc.listen(descriptor, Int32(clamping: core.limits.connections))
    return channel
  }

  /// NIO closes a connection whose initialiser fails.
  private static func refusal(_ core: ServiceCore) -> Failure {
    core.measures.refusedConnection("USER")
    core.logger.log(level: core.told.level("USER", .warning), "Another user was refused at the Unix socket.")
    return Failure(.accessDenied, "Another user's connection.")
  }
}
