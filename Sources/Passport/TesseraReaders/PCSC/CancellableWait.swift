import Glibc
import Synchronization
import TesseraSmartCard
import TesseraThreads

/// A blocking call that another thread can interrupt, even if it has not begun to block yet.
///
/// `SCardCancel` has no effect while the other thread is still entering `SCardGetStatusChange`. So the interruption is
/// repeated until the wait has ended. It runs on a dedicated thread, since it calls the service: a service that hangs
/// must block neither the caller nor the shared pool.
final class CancellableWait: Sendable {
  private enum State { case idle, waiting, ended, interrupted }
  private let state = Mutex(State.idle)

  /// - Returns: False if the wait was interrupted before it began.
  func begin() -> Bool {
    state.withLock { state in
      guard case .idle = state else { return false }
      state = .waiting
      return true
    }
  }

  func end() { state.withLock { $0 = .ended } }

  /// - Parameter wake: Wakes the blocked thread; may be called several times.
  func interrupt(_ wake: @escaping @Sendable () -> Void) {
    let isWaiting = state.withLock { state in
      if case .idle = state { state = .interrupted }
      if case .waiting = state { return true }
      return false
    }
    guard isWaiting else { return }
    DetachedThread.start(name: "pcsc wake") { [self] in
      while state.withLock({ if case .waiting = $0 { true } else { false } }) {
        wake()
        usleep(2_000)
      }
    }
  }
}
