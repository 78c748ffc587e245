/// A result that several parties may provide and one task waits for. The first one counts, later ones are discarded.
///
/// `DetachedWork` and `withTimeLimit` are built on it.
package final class FirstResult<Value: Sendable>: Sendable {
  private struct State {
    var result: Result<Value, any Error>?
    var waiting: CheckedContinuation<Value, any Error>?
  }
  private let state = Locked(State())

  package init() {}

  package var isSettled: Bool { state.withLock { $0.result != nil } }

  /// Provides a result.
  ///
  /// - Parameter prepare: Called only if this result is the first one, and before the waiting task can see it. It runs
  ///   under a lock and must not call this object.
  /// - Returns: Whether this result was the first one.
  @discardableResult
  package func settle(_ result: Result<Value, any Error>, _ prepare: () -> Void = {}) -> Bool {
    let (isFirst, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
      guard state.result == nil else { return (false, nil) }
      prepare()
      state.result = result
      defer { state.waiting = nil }
      return (true, state.waiting)
    }
    waiting?.resume(with: result)
    return isFirst
  }

  /// The first result, once there is one. Only one task may wait, and cancelling it does not end the wait.
  package var value: Value {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Value, any Error>? in
          if state.result == nil { state.waiting = continuation }
          return state.result
        }
        if let result { continuation.resume(with: result) }
      }
    }
  }

  /// Runs `body` if there is no result yet. None is accepted while `body` runs.
  package func whileUnsettled(_ body: () -> Void) {
    state.withLock { if $0.result == nil { body() } }
  }
}
