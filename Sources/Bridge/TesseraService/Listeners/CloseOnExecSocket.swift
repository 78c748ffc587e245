import Glibc
import NIOCore

/// Sets the close-on-exec flag of NIO's sockets. Otherwise child processes (pinentry, systemctl) inherit them, so that
/// closed connections and ports stay open until the child ends.
enum CloseOnExecSocket {
  /// Must be called on the event loop of the channel.
  static func set(_ channel: any Channel) throws {
    try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { descriptor in
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }
}
