import Foundation
import Synchronization

/// Makes sure that an interruption reaches a blocking call that may not have begun to block yet.
///
/// `SCardCancel` does nothing while the other thread is still on its way into `SCardGetStatusChange`; a single
/// call could so be lost. It is therefore repeated until the wait is seen to have ended, on a thread of its own: it asks
/// the service, and one that hangs must hold up neither who cancels nor the shared pool.
final class CancellableWait: Sendable {
  private enum State { case idle, waiting, ended, interrupted }
  private let state = Mutex(State.idle)

  /// - Returns: false when the wait was interrupted before it began.
  func begin() -> Bool {
    state.withLock { state in
      guard case .idle = state else { return false }
      state = .waiting
      return true
    }
  }

  func end() { state.withLock { $0 = .ended } }

  /// - Parameter wake: wakes the blocked thread; may be called many times.
  func interrupt(_ wake: @escaping @Sendable () -> Void) {
    let isWaiting = state.withLock { state in
      if case .idle = state { state = .interrupted }
      if case .waiting = state { return true }
      return false
    }
    guard isWaiting else { return }
    Thread.detachNewThread { [self] in
      while state.withLock({ if case .waiting = $0 { true } else { false } }) {
        wake()
        usleep(2_000)
      }
    }
  }
}
