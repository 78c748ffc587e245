import NIOCore
import TesseraBridge
import TesseraThreads

/// The open connections, so that the service can close all of them when it stops.
final class OpenConnections: Sendable {
  private struct State {
    var handlers: [BridgeConnection: NIOLoopBound<ConnectionHandler>] = [:]
    var isStopping = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Locked(State())

  /// - Returns: false if the service is stopping.
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

  /// Closes a connection at once. Its client does not read, so it receives no closing reason.
  func cutOff(_ connection: BridgeConnection) {
    guard let handler = state.withLock({ $0.handlers[connection] }) else { return }
    handler.eventLoop.execute { handler.value.cutOff() }
  }

  /// Ends all connections and returns when they are closed. Each connection closes in bounded time.
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
