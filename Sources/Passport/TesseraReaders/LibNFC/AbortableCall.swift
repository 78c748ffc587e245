import TesseraSmartCard
import TesseraThreads

/// A blocking libnfc call that another thread can abort. Ensures that `nfc_abort_command` ends this call and no other
/// one.
///
/// An abort before the driver waits has no effect (and leaks a descriptor in `pn532_uart`); an abort after the call
/// would end the next one. So the first abort is sent when the call has had time to reach its wait. It is repeated at
/// growing intervals until the call has returned, and the call does not return while an abort is being sent.
final class AbortableCall: Sendable {
  private enum State {
    case idle
    case running(since: ContinuousClock.Instant)
    case ended
    case interrupted
  }

  /// How long a driver may take from the start of a call until it waits for the chip: some bytes at 115 200 baud.
  static let timeToWait = Duration.milliseconds(20)

  private let state = Locked(State.idle)
  private let abort: @Sendable () -> Void

  /// - Parameter abort: Called on any thread, never at the same time as `begin` or `end`.
  init(abort: @escaping @Sendable () -> Void) { self.abort = abort }

  /// - Returns: False if the call was interrupted before it began.
  func begin() -> Bool {
    state.withLock { state in
      guard case .idle = state else { return false }
      state = .running(since: .now)
      return true
    }
  }

  func end() { state.withLock { $0 = .ended } }

  /// - Parameter gracePeriod: How long the call may still take to end on its own.
  func interrupt(gracePeriod: Duration = .zero) {
    let begin = state.withLock { state -> ContinuousClock.Instant? in
      if case .idle = state { state = .interrupted }
      if case .running(let since) = state { return since }
      return nil
    }
    guard let begin else { return }
    let first = max(begin + Self.timeToWait, .now + gracePeriod)
    if first <= .now { abortIfRunning() }
    Task.detached { [self] in
      var next = max(first, .now + .milliseconds(1))
      var interval = Duration.milliseconds(20)
      while isRunning {
        try? await Task.sleep(until: next, clock: .continuous)
        abortIfRunning()
        next = .now + interval
        interval = min(interval * 2, .seconds(1))
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
