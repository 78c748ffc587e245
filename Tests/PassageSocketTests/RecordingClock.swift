import TesseraThreads

/// A clock whose waits are over as soon as it is released. It notes them.
final class RecordingClock: Clock {
  private let noted = Locked<[Duration]>([])
  private let base = ContinuousClock()
  private let released = FirstResult<Void>()

  var now: ContinuousClock.Instant { base.now }
  var minimumResolution: Duration { .zero }
  /// The waits so far, to the second.
  var waits: [Duration] { noted.withLock { $0 } }

  func release() { released.settle(.success(())) }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    // The deadline was computed a moment ago.
    let seconds = (base.now.duration(to: deadline) / .seconds(1)).rounded(.up)
    noted.withLock { $0.append(.seconds(seconds)) }
    try await released.value
    try Task.checkCancellation()
  }
}
