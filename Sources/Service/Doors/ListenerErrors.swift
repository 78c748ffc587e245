import Failures
import Logging
import NIOCore

/// Tells the log why connections could not be accepted or set up: NIO closes them without a word.
///
/// Comes last in the pipeline of a listening socket, behind the handler of NIO that sets connections up.
final class ListenerErrors: ChannelInboundHandler, Sendable {
  typealias InboundIn = any Channel

  enum Door: String {
    case unix = "Unix socket"
    case webSocket = "loopback port"
    case metrics = "metrics socket"
  }

  private let door: Door
  private let core: ServiceCore

  init(_ door: Door, _ core: ServiceCore) {
    self.door = door
    self.core = core
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Another user's connection, which the log knows of already.
    if (error as? Failure)?.kind == .accessDenied { return }
    // A client that was gone again before it was looked at is nobody's trouble.
    if error is ChannelError { return }
    core.measures.refusedConnection("SETUP")
    core.logger.log(
      level: core.told.level("SETUP \(door.rawValue)", .error), "A connection could not be set up.",
      metadata: ["at": "\(door.rawValue)", "error": "\(error)"])
  }
}
