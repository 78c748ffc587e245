import Glibc

/// Blocks SIGPIPE for threads that cannot ask for an error instead: those that write to pipes, or through libraries
/// that write to sockets without `MSG_NOSIGNAL`. The kernel sends the signal to the thread that writes to a closed pipe
/// or socket, and it would end the process.
package enum BrokenPipe {
  private static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    return signals
  }

  /// Blocks the signal permanently; for a thread of this package.
  package static func blockSignal() {
    var signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Blocks the signal while `body` runs; for a thread of the caller.
  package static func withoutSignal(_ body: () -> Void) {
    var signals = signals
    var earlier = sigset_t()
    var pending = sigset_t()
    sigpending(&pending)
    let wasPending = sigismember(&pending, SIGPIPE) == 1
    pthread_sigmask(SIG_BLOCK, &signals, &earlier)
    body()
    // A signal that `body` caused would be delivered as soon as it is unblocked.
    var now = timespec()
    if !wasPending { sigtimedwait(&signals, nil, &now) }
    pthread_sigmask(SIG_SETMASK, &earlier, nil)
  }
}
