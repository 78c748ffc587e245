import NIOCore
import TesseraThreads

/// Keeps requests that outlive the service from using an event loop that has shut down, which NIO does not allow.
final class EventLoopLifetime: Sendable {
  private let isOver = Locked(false)

  /// Runs the body on the event loop. Does nothing after `end`.
  func execute(on loop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
    isOver.withLock { if !$0 { loop.execute(body) } }
  }

  /// Must be called before the event loops are shut down.
  func end() { isOver.withLock { $0 = true } }
}
