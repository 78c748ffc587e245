import Glibc

/// The terminal of this session, which a step needs to ask for a password. Only the process group in the foreground may
/// read it.
final class ForegroundTerminal {
  private let descriptor: Int32
  private var settings = termios()
  private let hasSettings: Bool

  /// nil without a terminal, and in its background.
  init?() {
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    hasSettings = descriptor >= 0 && tcgetattr(descriptor, &settings) == 0
    guard descriptor >= 0, tcgetpgrp(descriptor) == getpgrp() else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func give(to group: pid_t) { withoutStop { _ = tcsetpgrp(descriptor, group) } }

  /// Takes the terminal back, with the settings that it had.
  func takeBack() {
    withoutStop {
      _ = tcsetpgrp(descriptor, getpgrp())
      if hasSettings { _ = tcsetattr(descriptor, TCSADRAIN, &settings) }
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
