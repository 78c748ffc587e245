import Glibc

/// Writing to a peer that has gone away ends the program by SIGPIPE where the writer cannot ask for an error instead: pipes,
/// and libraries that write to sockets without `MSG_NOSIGNAL`. The signal goes to the thread that writes, and can be
/// blocked there.
public enum BrokenPipe {
  private static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    return signals
  }

  /// For a thread of our own: for good.
  public static func blockSignal() {
    var signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// For a thread of somebody else's: while `body` runs.
  public static func withoutSignal(_ body: () -> Void) {
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
