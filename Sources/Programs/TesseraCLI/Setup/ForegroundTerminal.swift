import Glibc

/// The terminal of this session, which a step needs to ask for a password. Only the process group in the foreground may
/// read it.
final class ForegroundTerminal {
  private let descriptor: Int32
  /// nil if the terminal does not say.
  private let settings: termios?

  /// nil without a terminal, and in its background.
  init?() {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    guard tcgetpgrp(terminal) == getpgrp() else {
      close(terminal)
      return nil
    }
    var settings = termios()
    self.settings = tcgetattr(terminal, &settings) == 0 ? settings : nil
    descriptor = terminal
  }

  deinit { close(descriptor) }

  /// Discards what was typed and not read yet.
  func discardInput() { _ = tcflush(descriptor, TCIFLUSH) }

  func give(to group: pid_t) { withoutStop { _ = tcsetpgrp(descriptor, group) } }

  /// Takes the terminal back, with the settings that it had.
  func takeBack() {
    withoutStop {
      _ = tcsetpgrp(descriptor, getpgrp())
      if var settings { _ = tcsetattr(descriptor, TCSADRAIN, &settings) }
    }
  }

  /// SIGTTOU would stop a process in the background that does this (tcsetpgrp(3p)).
  private func withoutStop(_ body: () -> Void) {
    var (signals, earlier) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    sigaddset(&signals, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &signals, &earlier)
    body()
    pthread_sigmask(SIG_SETMASK, &earlier, nil)
  }
}
