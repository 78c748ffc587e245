import Threads

/// The first of several results, waited for by one task.
final class FirstOutcome<Value: Sendable>: Sendable {
  private struct State {
    var result: Result<Value, any Error>?
    var waiting: CheckedContinuation<Value, any Error>?
  }
  private let state = Locked(State())

  var isSettled: Bool { state.withLock { $0.result != nil } }

  /// - Parameter prepare: is called before the result is seen, and only for the first one.
  /// - Returns: whether this was the first.
  @discardableResult
  func settle(_ result: Result<Value, any Error>, _ prepare: () -> Void = {}) -> Bool {
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

  var value: Value {
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
}
