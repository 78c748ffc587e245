import TesseraSmartCard
import TesseraThreads

/// Ends the wait for a response that a card never gives.
///
/// One timer serves the whole session. It starts with a command and runs until that command's deadline; if a later
/// command is then in flight, it goes on to the deadline of that one. A timer for each command would cost more than the
/// exchange itself.
final class AnswerWatchdog: Sendable {
  private struct State {
    /// The command in flight.
    var answer: FirstResult<[UInt8]>?
    var deadline: ContinuousClock.Instant
    var timer: Task<Void, Never>?
    var isStuck = false
  }
  private let state: Locked<State>
  private let limit: Duration
  private let clock: any MonotonicClock

  /// - Parameter limit: How long a card may take to answer one command.
  init(limit: Duration, clock: any MonotonicClock = ContinuousClock()) {
    state = Locked(State(deadline: clock.now))
    self.limit = limit
    self.clock = clock
  }

  deinit { stop() }

  /// Whether a response did not arrive in time: the thread that waits for it may stay blocked.
  var isStuck: Bool { state.withLock { $0.isStuck } }

  func setStuck() { state.withLock { $0.isStuck = true } }

  /// Notes that a command is in flight. After the time limit its response is settled with `CardError.mute`.
  func begin(_ answer: FirstResult<[UInt8]>) {
    let deadline = clock.now + limit
    state.withLock { state in
      state.answer = answer
      state.deadline = deadline
      guard state.timer == nil else { return }
      state.timer = Task { [weak self, clock] in
        var next = deadline
        while (try? await clock.sleep(until: next, tolerance: nil)) != nil {
          guard let later = self?.expire() else { return }
          next = later
        }
      }
    }
  }

  func end(_ answer: FirstResult<[UInt8]>) {
    state.withLock { if $0.answer === answer { $0.answer = nil } }
  }

  /// Stops the timer, unless a command is in flight.
  func stop() {
    let timer = state.withLock { state -> Task<Void, Never>? in
      guard state.answer == nil else { return nil }
      defer { state.timer = nil }
      return state.timer
    }
    timer?.cancel()
  }

  /// - Returns: The deadline of the command in flight; nil if there is none or if its time is over.
  private func expire() -> ContinuousClock.Instant? {
    let (answer, later) = state.withLock { state -> (FirstResult<[UInt8]>?, ContinuousClock.Instant?) in
      if state.answer != nil, state.deadline > clock.now { return (nil, state.deadline) }
      state.timer = nil
      return (state.answer, nil)
    }
    answer?.settle(.failure(CardError.mute)) { setStuck() }
    return later
  }
}
