import NIOCore
import Threads

/// Requests may end when the service has, and an event loop that has ended takes nothing more.
final class LoopLifetime: Sendable {
  private let isOver = Locked(false)

  /// Does nothing after the end.
  func execute(on loop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
    isOver.withLock { if !$0 { loop.execute(body) } }
  }

  /// To be called before the loops are shut down.
  func end() { isOver.withLock { $0 = true } }
}
