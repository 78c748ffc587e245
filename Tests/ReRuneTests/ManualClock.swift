import TesseraThreads
import Testing

/// A clock that the test moves.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant()
    var sleeping: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []
    var waits = 0
    var ends = 0
  }
  private let state = Locked(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }
  /// The sleeps in progress.
  var sleepers: Int { state.withLock { $0.sleeping.count } }

  /// - Returns: the number of sleeps that end with it.
  @discardableResult
  func advance(by duration: Duration) -> Int {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleeping.filter { $0.value.deadline <= state.now }
      for number in due.keys { state.sleeping[number] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in due { continuation.resume() }
    return due.count
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    defer { state.withLock { $0.ends += 1 } }
    let number = state.withLock { state in
      state.waits += 1
      return state.waits
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let isCancelled = state.withLock { state in
          guard !state.cancelled.contains(number) else { return true }
          state.sleeping[number] = (deadline, continuation)
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.cancelled.insert(number)
        return state.sleeping.removeValue(forKey: number)?.continuation
      }
      continuation?.resume(throwing: CancellationError())
    }
  }

  /// Waits until something has begun to sleep for this time.
  func waits(_ count: Int) async { await until { $0.waits >= count && $0.sleeping.count > 0 } }

  /// Waits until this many sleeps have ended.
  func ends(_ count: Int) async { await until { $0.ends >= count } }

  private func until(_ condition: (State) -> Bool) async {
    for _ in 0..<300_000 {
      if state.withLock({ condition($0) }) { return }
      try? await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("The clock waited in vain: \(state.withLock { ($0.waits, $0.ends, $0.sleeping.count) })")
  }
}

/// Holds a task until the test opens it.
final class Gate: Sendable {
  private let arrivals = AsyncStream<Void>.makeStream()
  private let opening = AsyncStream<Void>.makeStream()

  func wait() async {
    arrivals.continuation.yield()
    for await _ in opening.stream { return }
  }

  func arrival() async {
    for await _ in arrivals.stream { return }
  }

  func open() { opening.continuation.finish() }
}
