import Synchronization

/// Makes sure that a cancellation reaches a blocking call that may not have begun to block yet.
///
/// `SCardCancel` does nothing while the other thread is still on its way into `SCardGetStatusChange`; a single
/// call could so be lost. It is therefore repeated until the wait is seen to have ended.
final class CancellableWait: Sendable {
  private enum State { case idle, waiting, ended, cancelled }
  private let state = Mutex(State.idle)

  /// - Returns: false when the wait was cancelled before it began.
  func begin() -> Bool {
    state.withLock { state in
      guard case .idle = state else { return false }
      state = .waiting
      return true
    }
  }

  func end() { state.withLock { $0 = .ended } }

  /// - Parameter interrupt: wakes the blocked thread; may be called many times.
  func cancel(_ interrupt: @escaping @Sendable () -> Void) {
    let isWaiting = state.withLock { state in
      if case .idle = state { state = .cancelled }
      if case .waiting = state { return true }
      return false
    }
    guard isWaiting else { return }
    interrupt()
    Task.detached { [self] in
      while state.withLock({ if case .waiting = $0 { true } else { false } }) {
        interrupt()
        try? await Task.sleep(for: .milliseconds(2))
      }
    }
  }
}
