internal import TesseraThreads

/// Lets one task wait for a sign. A sign that comes while nobody waits ends the next wait at once.
final class WakeUp: Sendable {
  private let next = Locked(FirstResult<Void>())

  func signal() { next.withLock { $0 }.settle(.success(())) }

  /// Waits for a sign, at most for `limit` (nil: without a limit), or until the task is cancelled.
  func wait(atMost limit: Duration?) async {
    let sign = next.withLock { $0 }
    let timer = limit.map { limit in
      Task {
        try? await Task.sleep(for: limit)
        sign.settle(.success(()))
      }
    }
    _ = try? await withTaskCancellationHandler {
      try await sign.value
    } onCancel: {
      sign.settle(.failure(CancellationError()))
    }
    timer?.cancel()
    next.withLock { $0 = FirstResult() }
  }
}
