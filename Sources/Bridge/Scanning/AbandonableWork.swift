import Threads

/// Work whose result is waited for until it comes or the work is abandoned, whichever is first: a provider that is
/// stuck in a driver, or a person who does not answer, cannot hold an answer back.
///
/// Cancelling the task that waits is not enough for that, and is left to the caller to turn into `abandon()`.
final class AbandonableWork<Value: Sendable>: Sendable {
  private struct State {
    var waiter: CheckedContinuation<Value, any Error>?
    var task: Task<Void, Never>?
    var isSettled = false
    var isAbandoned = false
  }
  private let state = Locked(State())

  /// Runs the body; to be called once.
  ///
  /// - Throws: `CancellationError` as soon as the work is abandoned.
  func value(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let begins = state.withLock { state in
        guard !state.isSettled else { return false }
        state.waiter = continuation
        state.task = Task {
          do {
            self.settle(.success(try await body()))
          } catch {
            self.settle(.failure(error))
          }
        }
        return true
      }
      if !begins { continuation.resume(throwing: CancellationError()) }
    }
  }

  /// - Parameter first: is called before anybody knows of it, unless the work was over.
  /// - Returns: false where the work had ended before, or was abandoned before.
  @discardableResult
  func abandon(_ first: () -> Void = {}) -> Bool {
    let (isFirst, waiter, task) = state.withLock { state in
      guard !state.isSettled else {
        return (false, nil as CheckedContinuation<Value, any Error>?, nil as Task<Void, Never>?)
      }
      first()
      state.isSettled = true
      state.isAbandoned = true
      defer { state.waiter = nil }
      return (true, state.waiter, state.task)
    }
    task?.cancel()
    waiter?.resume(throwing: CancellationError())
    return isFirst
  }

  var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

  /// Whether the body is running, or has run.
  var hasBegun: Bool { state.withLock { $0.task != nil } }

  /// Waits until the body has returned, which may be long after the answer; at once where it was never begun.
  ///
  /// - Returns: whether it has within the time.
  func end(within patience: Duration) async -> Bool {
    guard let task = state.withLock({ $0.task }) else { return true }
    let (outcome, told) = AsyncStream<Bool>.makeStream()
    let tasks = [
      Task {
        await task.value
        told.yield(true)
      },
      Task {
        try? await Task.sleep(for: patience)
        told.yield(false)
      },
    ]
    defer { for task in tasks { task.cancel() } }
    return await outcome.first { _ in true } ?? false
  }

  /// Runs the body unless the work has ended or was abandoned; neither can happen while it runs.
  func whileWaiting(_ body: () -> Void) {
    state.withLock { if !$0.isSettled { body() } }
  }

  private func settle(_ result: Result<Value, any Error>) {
    let waiter = state.withLock { state in
      state.isSettled = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(with: result)
  }
}

/// - Throws: `CancellationError` as soon as the task is cancelled, also where the body does not listen to that.
func abandonedWhenCancelled<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let work = AbandonableWork<Value>()
  return try await withTaskCancellationHandler {
    try await work.value(body)
  } onCancel: {
    _ = work.abandon()
  }
}
