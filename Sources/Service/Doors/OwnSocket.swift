import Glibc
import NIOCore

/// NIO's sockets are inherited by programs that the process starts (pinentry, systemctl): a client would wait for the end of
/// such a program before it saw its connection closed, and a port would stay taken.
enum OwnSocket {
  /// To be called on the channel's event loop.
  static func keep(_ channel: any Channel) throws {
    try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { descriptor in
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }
}
