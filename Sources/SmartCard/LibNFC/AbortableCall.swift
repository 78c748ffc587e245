import Threads

/// Makes sure that `nfc_abort_command` reaches a call that blocks in libnfc, and no other one.
///
/// An abort that comes before the driver waits is lost (and leaves a descriptor open behind it, in `pn532_uart`); one that
/// comes after the call would end the next one. So it is sent when the call has had time to reach its wait, repeated at
/// growing distances until the call has returned, and the call does not return while an abort is on its way.
final class AbortableCall: Sendable {
  private enum State {
    case idle
    case running(since: ContinuousClock.Instant)
    case ended
    case interrupted
  }

  /// How long a driver may take from the beginning of a call until it waits for the chip: some bytes at 115 200 baud.
  static let timeToWait = Duration.milliseconds(20)

  private let state = Locked(State.idle)
  private let abort: @Sendable () -> Void

  /// - Parameter abort: is called from any thread, never at the same time as `begin` or `end`.
  init(abort: @escaping @Sendable () -> Void) { self.abort = abort }

  /// - Returns: false when the call was interrupted before it began.
  func begin() -> Bool {
    state.withLock { state in
      guard case .idle = state else { return false }
      state = .running(since: .now)
      return true
    }
  }

  func end() { state.withLock { $0 = .ended } }

  /// - Parameter patience: how long a call may still go on to its natural end.
  func interrupt(patience: Duration = .zero) {
    let begin = state.withLock { state -> ContinuousClock.Instant? in
      if case .idle = state { state = .interrupted }
      if case .running(let since) = state { return since }
      return nil
    }
    guard let begin else { return }
    let first = max(begin + Self.timeToWait, .now + patience)
    if first <= .now { abortIfRunning() }
    Task.detached { [self] in
      var next = max(first, .now + .milliseconds(1))
      var distance = Duration.milliseconds(20)
      while isRunning {
        try? await Task.sleep(until: next, clock: .continuous)
        abortIfRunning()
        next = .now + distance
        distance = min(distance * 2, .seconds(1))
      }
    }
  }

  private var isRunning: Bool { state.withLock { if case .running = $0 { true } else { false } } }

  private func abortIfRunning() {
    state.withLock { state in
      if case .running = state { abort() }
    }
  }
}
