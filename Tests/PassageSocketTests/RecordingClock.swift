import TesseraThreads

/// A clock that stands still. Its waits are over as soon as it is released. It notes them.
final class RecordingClock: Clock {
  private let noted = Locked<[Duration]>([])
  private let released = FirstResult<Void>()

  let now = ContinuousClock.now
  var minimumResolution: Duration { .zero }
  /// The waits so far.
  var waits: [Duration] { noted.withLock { $0 } }

  func release() { released.settle(.success(())) }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    noted.withLock { $0.append(now.duration(to: deadline)) }
    try await released.value
    try Task.checkCancellation()
  }
}
