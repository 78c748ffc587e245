import Dispatch

/// Sleeps through. `Task.sleep` does not on Linux: with Swift 6.3.1 a sleeping task wakes the process once a second.
enum QuietSleep {
  /// - Parameter duration: nil sleeps until the task is cancelled.
  /// - Throws: `CancellationError` at once when the task is cancelled.
  static func sleep(for duration: Duration?) async throws {
    let outcome = FirstOutcome<Void>()
    // `nonisolated(unsafe)`: work items may be cancelled from any thread; their Swift type does not say so.
    nonisolated(unsafe) let end = DispatchWorkItem { outcome.settle(.success(())) }
    if let duration {
      DispatchQueue.global().asyncAfter(deadline: .now() + max(0, duration / .seconds(1)), execute: end)
    }
    try await withTaskCancellationHandler {
      try await outcome.value
    } onCancel: {
      end.cancel()
      outcome.settle(.failure(CancellationError()))
    }
  }
}
