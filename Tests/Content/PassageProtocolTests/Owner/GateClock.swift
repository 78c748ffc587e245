import Testing

/// A clock without time: a sleep ends when the test says so, or when its task is cancelled. It is for one sleep at a
/// time.
final class GateClock: Clock {
  private let begun = AsyncStream<Duration>.makeStream()
  private let ends = AsyncStream<Void>.makeStream()
  let now = ContinuousClock.now
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    begun.continuation.yield(now.duration(to: deadline))
    for await _ in ends.stream { return }
    throw CancellationError()
  }

  /// Waits until something sleeps, lets its time pass, and tells how long that is.
  func pass() async -> Duration? {
    defer { ends.continuation.yield() }
    for await duration in begun.stream { return duration }
    return nil
  }
}

/// Holds work until the test opens it, or until the work is cancelled.
final class Gate: Sendable {
  private let opening = AsyncStream<Void>.makeStream()

  func open() { opening.continuation.yield() }

  /// - Returns: whether the test opened it.
  func wait() async -> Bool {
    for await _ in opening.stream { return true }
    return false
  }
}
