import Glibc
package import Tessera
internal import TesseraDurableFiles

/// The controlling terminal of this session. The initializer returns nil if there is none.
package final class ControllingTerminal {
  private let descriptor: Int32

  package init?() {
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Whether this program is in the terminal's foreground process group.
  package var isForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  package func show(_ text: String) {
    _ = text.withCString { write(descriptor, $0, strlen($0)) }
  }

  /// Reads one line without echo.
  package func read(_ prompt: String) throws -> SecretBytes {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { return SecretBytes([]) }
    restoreAtExit(settings)
    silence()
    defer {
      Self.restore(settings, of: descriptor, TCSAFLUSH)
      Interruption.atExit(nil)
      show("\n")
    }
    show(prompt)
    // A shell that resumes this program in the foreground restores the echo.
    return try line { self.silence() }
  }

  /// Restores the settings also when a signal ends the process before the task that reads has noticed it.
  package func restoreAtExit(_ settings: termios) {
    Interruption.atExit { [descriptor] in Self.restore(settings, of: descriptor, TCSANOW) }
  }

  /// Also in the background, where a signal may end the program: SIGTTOU would stop it instead (tcsetattr(3p)).
  private static func restore(_ settings: termios, of descriptor: Int32, _ moment: Int32) {
    var (settings, signals, earlier) = (settings, sigset_t(), sigset_t())
    sigemptyset(&signals)
    sigaddset(&signals, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &signals, &earlier)
    tcsetattr(descriptor, moment, &settings)
    pthread_sigmask(SIG_SETMASK, &earlier, nil)
  }

  private func silence() {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0, settings.c_lflag & tcflag_t(ECHO) != 0 else { return }
    settings.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(descriptor, TCSAFLUSH, &settings)
  }

  // MARK: - Single keys

  package var settings: termios? {
    var settings = termios()
    return tcgetattr(descriptor, &settings) == 0 ? settings : nil
  }

  /// Restores the settings; keeps input that was typed ahead.
  package func restore(_ settings: termios) { Self.restore(settings, of: descriptor, TCSADRAIN) }

  /// Disables line buffering and echo.
  package func disableLineMode() {
    guard var settings, settings.c_lflag & tcflag_t(ICANON) != 0 else { return }
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(descriptor, TCSADRAIN, &settings)
  }

  /// The next byte; nil at the end of the input.
  package func key() throws -> UInt8? {
    try wait { self.disableLineMode() }
    var byte: UInt8 = 0
    return Glibc.read(descriptor, &byte, 1) == 1 ? byte : nil
  }

  /// Discards the rest of a control sequence, such as that of an arrow key (ECMA-48, 5.4): it ends with a letter or
  /// `~`.
  package func skipSequence() throws {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&ready, 1, 20) > 0, let byte = try key() {
      if byte != UInt8(ascii: "["), byte != UInt8(ascii: "O"), (0x40...0x7E).contains(byte) { return }
    }
  }

  /// The width of the terminal in columns.
  package var width: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  // MARK: - Questions

  /// Asks a yes/no question. Every answer except yes counts as no.
  package func confirm(_ question: String) throws -> Bool {
    show(question + " [y/N] ")
    let answer = try line().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    return ["y", "yes"].contains(answer.lowercased())
  }

  private func line(meanwhile: () -> Void = {}) throws -> SecretBytes {
    try wait(meanwhile)
    return SecretBytes(reading: descriptor, upTo: 4096, endsAtLine: true) ?? SecretBytes([])
  }

  /// Waits for input.
  ///
  /// - Parameter meanwhile: called every 50 ms during the wait.
  private func wait(_ meanwhile: () -> Void) throws {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // Ctrl-C cancels the task, and the caller restores the terminal's settings.
    while poll(&ready, 1, 50) == 0 {
      try Task.checkCancellation()
      meanwhile()
    }
    try Task.checkCancellation()
  }
}
