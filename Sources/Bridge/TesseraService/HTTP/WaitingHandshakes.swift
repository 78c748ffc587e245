import NIOCore
import TesseraThreads

/// The pending handshakes. Pages of any site can open them, so they do not count as connections: beyond a separate
/// limit, the oldest one is closed. A browser completes its handshake within milliseconds.
final class WaitingHandshakes: Sendable {
  private struct State {
    var handlers: [Int: NIOLoopBound<HandshakeLimit>] = [:]
    var last = 0
  }
  private let limit: Int
  private let state = Locked(State())

  init(limit: Int) { self.limit = limit }

  /// - Returns: the number for `remove`.
  func add(_ handler: NIOLoopBound<HandshakeLimit>) -> Int {
    let (number, evicted) = state.withLock { state in
      state.last += 1
      state.handlers[state.last] = handler
      let oldest = state.handlers.count > limit ? state.handlers.keys.min() : nil
      return (state.last, oldest.flatMap { state.handlers.removeValue(forKey: $0) })
    }
    if let evicted { evicted.eventLoop.execute { evicted.value.evict() } }
    return number
  }

  func remove(_ number: Int) { state.withLock { _ = $0.handlers.removeValue(forKey: number) } }
}
