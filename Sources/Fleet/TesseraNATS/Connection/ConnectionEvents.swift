internal import TesseraThreads

/// The states and problems of a connection, over all connections of libnats that it consists of.
final class ConnectionEvents: Sendable {
  private struct State {
    var current = NATSConnectionState.connected
    var handlers: [@Sendable (NATSConnectionState) -> Void] = []
    var problemHandlers: [@Sendable (NATSConnectionProblem) -> Void] = []
    /// The first ones, for handlers that come later.
    var problems: [NATSConnectionProblem] = []
    /// Why the connection ends.
    var reason: NATSError?
  }
  private let state = Locked(State())

  var current: NATSConnectionState { state.withLock { $0.current } }

  /// Why the connection is closed, or about to be; nil if it is not.
  var ending: NATSError? { state.withLock { $0.reason ?? ($0.current == .closed ? .closed : nil) } }

  /// Notes why the connection is closed. The caller closes it.
  func end(with reason: NATSError) { state.withLock { $0.reason = $0.reason ?? reason } }

  func add(_ handler: @escaping @Sendable (NATSConnectionState) -> Void) {
    state.withLock { $0.handlers.append(handler) }
  }

  /// Calls `handler` for each problem, also for the first 64 that were there before it: a server refuses the subscription of
  /// the answers while the connection is still being made.
  func addProblemHandler(_ handler: @escaping @Sendable (NATSConnectionProblem) -> Void) {
    let problems = state.withLock { state in
      state.problemHandlers.append(handler)
      return state.problems
    }
    for problem in problems { handler(problem) }
  }

  func change(to new: NATSConnectionState) {
    let handlers = state.withLock { state -> [@Sendable (NATSConnectionState) -> Void] in
      guard state.current != .closed, state.current != new else { return [] }
      state.current = new
      // The handlers may refer to the connection.
      defer { if new == .closed { (state.handlers, state.problemHandlers) = ([], []) } }
      return state.handlers
    }
    for handler in handlers { handler(new) }
  }

  func report(_ problem: NATSConnectionProblem) {
    let handlers = state.withLock { state in
      if state.problems.count < 64 { state.problems.append(problem) }
      return state.problemHandlers
    }
    for handler in handlers { handler(problem) }
  }
}
