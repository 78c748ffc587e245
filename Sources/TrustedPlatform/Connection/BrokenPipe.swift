import Glibc

/// The socket transports of the TSS write without `MSG_NOSIGNAL`, so that a TPM simulator that goes away at the wrong
/// moment would end the program by SIGPIPE. The signal goes to the thread that writes.
enum BrokenPipe {
  private static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    return signals
  }

  /// For a thread of our own: for good.
  static func blockSignal() {
    var signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// For a thread of somebody else's: while `body` runs.
  static func withoutSignal(_ body: () -> Void) {
    var signals = signals
    var earlier = sigset_t()
    var pending = sigset_t()
    sigpending(&pending)
    let wasPending = sigismember(&pending, SIGPIPE) == 1
    pthread_sigmask(SIG_BLOCK, &signals, &earlier)
    body()
    // What came up in the meantime is ours and would be delivered as soon as it may be.
    var now = timespec()
    if !wasPending { sigtimedwait(&signals, nil, &now) }
    pthread_sigmask(SIG_SETMASK, &earlier, nil)
  }
}
