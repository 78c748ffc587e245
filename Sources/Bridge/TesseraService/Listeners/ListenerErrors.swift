import Logging
import NIOCore
import TesseraCore

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
