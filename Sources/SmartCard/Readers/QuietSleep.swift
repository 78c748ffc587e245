import Dispatch
import Foundation

/// Sleeps through, on a thread of its own. `Task.sleep` and the timers of libdispatch do not on Linux: with Swift 6.3.1 a
/// sleeping task, and every timer once another one has fired, wakes the process once a second.
enum QuietSleep {
  /// - Parameter duration: nil sleeps until the task is cancelled, without a thread.
  /// - Throws: `CancellationError` at once when the task is cancelled.
  static func sleep(for duration: Duration?) async throws {
    let outcome = FirstOutcome<Void>()
    let end = DispatchSemaphore(value: 0)
    if let duration {
      Thread.detachNewThread {
        _ = end.wait(timeout: .now() + max(0, duration / .seconds(1)))
        outcome.settle(.success(()))
      }
    }
    try await withTaskCancellationHandler {
      try await outcome.value
    } onCancel: {
      outcome.settle(.failure(CancellationError()))
      end.signal()
    }
  }
}
