/// Work that is done once for all tasks that request its result at the same time, such as a prompt for a password.
///
/// When a task is cancelled, the others continue to wait. When the last one is cancelled, the work is cancelled, and
/// the next request starts it again.
///
/// An exclusive one never has the work of a key in progress twice: the last task that is cancelled waits for the end of
/// the work and gets its result, and a request that comes meanwhile waits for the same end before it starts the work
/// again.
package final class RequestCoalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Value, any Error>
  private struct Work {
    let number: Int
    var task: Task<Void, Never>?
    var waiting: [Int: Waiter] = [:]
    /// Whether the last task that waited for it was cancelled. Only exclusive work then stays.
    var isAbandoned = false
  }
  /// The end of abandoned work, for a task that came after it was abandoned.
  private struct Abandoned: Error {}
  private struct State {
    var running: [Key: Work] = [:]
    /// Tasks that were cancelled before they waited.
    var cancelled: Set<Int> = []
    var lastNumber = 0
    mutating func number() -> Int {
      lastNumber += 1
      return lastNumber
    }
  }
  private let state = Locked(State())
  private let isExclusive: Bool

  package init(isExclusive: Bool = false) { self.isExclusive = isExclusive }

  /// The number of tasks that wait for the work of this key.
  package func waitingCount(_ key: Key) -> Int { state.withLock { $0.running[key]?.waiting.count ?? 0 } }

  /// The result of the work that is in progress for this key, or else of `body`.
  package func value(_ key: Key, _ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    while true {
      do {
        return try await share(key, body)
      } catch is Abandoned {
        try Task.checkCancellation()
      }
    }
  }

  private func share(_ key: Key, _ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let waiter = state.withLock { $0.number() }
    defer { state.withLock { _ = $0.cancelled.remove(waiter) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in wait(waiter, continuation, key, body) }
    } onCancel: {
      leave(waiter, key)
    }
  }

  private func wait(
    _ waiter: Int, _ continuation: Waiter, _ key: Key, _ body: @escaping @Sendable () async throws -> Value
  ) {
    let isCancelled = state.withLock { state in
      guard state.cancelled.remove(waiter) == nil else { return true }
      if state.running[key] == nil {
        let number = state.number()
        state.running[key] = Work(number: number)
        state.running[key]?.task = Task {
          let result: Result<Value, any Error>
          do {
            result = .success(try await body())
          } catch {
            result = .failure(error)
          }
          self.finish(key, number, result)
        }
      }
      state.running[key]?.waiting[waiter] = continuation
      return false
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
  }

  private func finish(_ key: Key, _ number: Int, _ result: Result<Value, any Error>) {
    let (waiting, isAbandoned) = state.withLock { state -> ([Waiter], Bool) in
      guard let work = state.running[key], work.number == number else { return ([], false) }
      state.running[key] = nil
      return (Array(work.waiting.values), work.isAbandoned)
    }
    var result = result
    if isAbandoned, case .failure = result { result = .failure(Abandoned()) }
    for continuation in waiting { continuation.resume(with: result) }
  }

  private func leave(_ waiter: Int, _ key: Key) {
    let (continuation, unneeded) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
      if isExclusive, let work = state.running[key], work.waiting.count == 1, work.waiting[waiter] != nil {
        state.running[key]?.isAbandoned = true
        return (nil, work.task)
      }
      guard let continuation = state.running[key]?.waiting.removeValue(forKey: waiter) else {
        // It already has its result, or does not wait yet.
        state.cancelled.insert(waiter)
        return (nil, nil)
      }
      guard let work = state.running[key], work.waiting.isEmpty else { return (continuation, nil) }
      state.running[key] = nil
      return (continuation, work.task)
    }
    unneeded?.cancel()
    continuation?.resume(throwing: CancellationError())
  }
}
