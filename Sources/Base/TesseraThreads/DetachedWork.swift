/// Work in a separate task that its caller can detach, as pthread_detach(3) does with a thread: the caller stops waiting
/// for it, even if it never returns. A driver may hang, and a user may not answer.
///
/// - Detaching ends the wait with an error, and cancels the work. The work may continue without limit.
/// - A result that arrives after that goes to `onLateResult`, which releases its resources.
/// - Cancelling the task that waits does not detach the work; `withTimeLimit` does that.
package final class DetachedWork<Value: Sendable>: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isDetached = false
    /// Whether the work was cancelled, perhaps before it started.
    var isCancelled = false
  }
  private let state = Locked(State())
  private let result = FirstResult<Value>()
  private let onLateResult: @Sendable (Value) async -> Void

  package init(onLateResult: @escaping @Sendable (Value) async -> Void = { _ in }) {
    self.onLateResult = onLateResult
  }

  /// Runs the work and waits for its result. Must be called only once. The work does not start if it is already
  /// detached or cancelled.
  ///
  /// - Throws: What the work throws, or the error that it was detached with.
  package func value(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
    state.withLock { state in
      guard !state.isDetached, !state.isCancelled else { return }
      state.task = Task {
        let result: Result<Value, any Error>
        do {
          result = .success(try await operation())
        } catch {
          result = .failure(error)
        }
        if !self.result.settle(result), case .success(let value) = result { await self.onLateResult(value) }
      }
    }
    return try await result.value
  }

  /// Ends the wait at once and cancels the work.
  ///
  /// - Parameter onDetach: Called before the waiting task resumes, and only if the work has no result yet.
  /// - Returns: False if there was a result already, or if the work was detached before.
  @discardableResult
  package func detach(throwing error: any Error = CancellationError(), _ onDetach: () -> Void = {}) -> Bool {
    let isFirst = result.settle(.failure(error)) {
      state.withLock { $0.isDetached = true }
      onDetach()
    }
    if isFirst { state.withLock { $0.task }?.cancel() }
    return isFirst
  }

  /// Cancels the work, and detaches it if it has not ended within the grace period. Returns at once.
  package func cancel(
    gracePeriod: Duration, clock: any MonotonicClock = ContinuousClock(), throwing error: any Error,
    _ onDetach: @escaping @Sendable () -> Void
  ) {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    guard let task else {
      _ = detach(throwing: error)
      return
    }
    guard gracePeriod > .zero else {
      // The error is the result before the work can react to its cancellation.
      _ = detach(throwing: error, onDetach)
      return
    }
    task.cancel()
    Task {
      guard !result.isSettled, (try? await clock.sleep(for: gracePeriod)) != nil else { return }
      detach(throwing: error, onDetach)
    }
  }

  package var isDetached: Bool { state.withLock { $0.isDetached } }

  /// Whether the work runs or has run.
  package var hasBegun: Bool { state.withLock { $0.task != nil } }

  /// Runs `body` if the work has no result yet and was not detached. Neither can happen while `body` runs.
  package func whileWaiting(_ body: () -> Void) { result.whileUnsettled(body) }
}

/// Runs an operation and waits for its result no longer than `limit`. When the limit is reached or the calling task is
/// cancelled, the operation is cancelled; if it does not end within the grace period, it is detached: this function
/// returns and the operation continues without a caller.
///
/// - Parameters:
///   - limit: The longest time that the operation may take; nil for no limit.
///   - gracePeriod: How long the operation may take to react to its cancellation.
///   - clock: The clock that measures both.
///   - timeoutError: The error to throw when the operation is detached after the time limit.
///   - onDetach: Called when the operation is detached, before this function returns.
///   - onLateResult: Receives a result that arrives after that.
/// - Throws: What the operation throws; `timeoutError`; `CancellationError` when the operation is detached after a
///   cancellation.
package func withTimeLimit<Value: Sendable>(
  _ limit: Duration?, gracePeriod: Duration = .zero, clock: any MonotonicClock = ContinuousClock(),
  orThrow timeoutError: @autoclosure @escaping @Sendable () -> any Error = TimeLimitExceeded(),
  onDetach: @escaping @Sendable () -> Void = {},
  onLateResult: @escaping @Sendable (Value) async -> Void = { _ in },
  _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try Task.checkCancellation()
  let work = DetachedWork(onLateResult: onLateResult)
  let timer = limit.map { limit in
    Task {
      guard (try? await clock.sleep(for: limit)) != nil else { return }
      work.cancel(gracePeriod: gracePeriod, clock: clock, throwing: timeoutError(), onDetach)
    }
  }
  defer { timer?.cancel() }
  return try await withTaskCancellationHandler {
    try await work.value(operation)
  } onCancel: {
    work.cancel(gracePeriod: gracePeriod, clock: clock, throwing: CancellationError(), onDetach)
  }
}

/// An operation did not end within its time limit.
package struct TimeLimitExceeded: Error {
  package init() {}
}

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
