import Bridge
import NIOCore
import Threads

/// The connections that are open, so that all of them can be told when the service stops.
final class OpenConnections: Sendable {
  private struct State {
    var handlers: [BridgeConnection: NIOLoopBound<ConnectionHandler>] = [:]
    var isStopping = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Locked(State())

  /// - Returns: false where the service is stopping.
  func add(_ connection: BridgeConnection, _ handler: NIOLoopBound<ConnectionHandler>) -> Bool {
    state.withLock { state in
      state.handlers[connection] = handler
      return !state.isStopping
    }
  }

  func remove(_ connection: BridgeConnection) {
    let waiting = state.withLock { state in
      state.handlers[connection] = nil
      guard state.handlers.isEmpty else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Ends one at once: its client does not read, so it is not told why.
  func cutOff(_ connection: BridgeConnection) {
    guard let handler = state.withLock({ $0.handlers[connection] }) else { return }
    handler.eventLoop.execute { handler.value.cutOff() }
  }

  /// Ends all connections; returns when they are closed, which each of them sees to in bounded time.
  func stop() async {
    let handlers = state.withLock { state in
      state.isStopping = true
      return Array(state.handlers.values)
    }
    for handler in handlers { handler.eventLoop.execute { handler.value.stop() } }
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.handlers.isEmpty { state.waiting.append(continuation) }
        return state.handlers.isEmpty
      }
      if isOver { continuation.resume() }
    }
  }
}
