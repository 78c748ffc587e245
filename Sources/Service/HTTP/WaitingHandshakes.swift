import NIOCore
import Threads

/// The connections that have not finished their handshake. Anybody can open them, so they take no place of the clients:
/// beyond a number of their own, the one that has waited longest goes. A browser's handshake is over in milliseconds.
final class WaitingHandshakes: Sendable {
  private struct State {
    var handlers: [Int: NIOLoopBound<HandshakeLimit>] = [:]
    var last = 0
  }
  private let limit: Int
  private let state = Locked(State())

  init(limit: Int) { self.limit = limit }

  /// - Returns: what it is to be removed by.
  func add(_ handler: NIOLoopBound<HandshakeLimit>) -> Int {
    let (number, longest) = state.withLock { state in
      state.last += 1
      state.handlers[state.last] = handler
      let oldest = state.handlers.count > limit ? state.handlers.keys.min() : nil
      return (state.last, oldest.flatMap { state.handlers.removeValue(forKey: $0) })
    }
    if let longest { longest.eventLoop.execute { longest.value.giveWay() } }
    return number
  }

  func remove(_ number: Int) { state.withLock { _ = $0.handlers.removeValue(forKey: number) } }
}
