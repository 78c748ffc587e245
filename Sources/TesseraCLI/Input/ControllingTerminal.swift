import Foundation
import Tessera

/// The terminal at which the person of this session sits; nil where there is none.
final class ControllingTerminal {
  private let descriptor: Int32

  init?() {
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Whether the shell lets this program talk to it just now.
  var isForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  func show(_ text: String) {
    _ = text.withCString { write(descriptor, $0, strlen($0)) }
  }

  /// One line, not shown.
  func read(_ prompt: String) throws -> SecretBytes {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { return SecretBytes([]) }
    silence()
    defer {
      tcsetattr(descriptor, TCSAFLUSH, &settings)
      show("\n")
    }
    show(prompt)
    // A shell that brings the program back to the foreground has given the terminal its echo back.
    return try line { self.silence() }
  }

  private func silence() {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0, settings.c_lflag & tcflag_t(ECHO) != 0 else { return }
    settings.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(descriptor, TCSAFLUSH, &settings)
  }

  // MARK: - Key by key

  var settings: termios? {
    var settings = termios()
    return tcgetattr(descriptor, &settings) == 0 ? settings : nil
  }

  /// What was typed ahead stays.
  func restore(_ settings: termios) {
    var settings = settings
    tcsetattr(descriptor, TCSADRAIN, &settings)
  }

  /// Has the terminal give each key at once, and show none by itself.
  func takeKeys() {
    guard var settings, settings.c_lflag & tcflag_t(ICANON) != 0 else { return }
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(descriptor, TCSADRAIN, &settings)
  }

  /// The next byte; nil where the terminal is gone.
  func key() throws -> UInt8? {
    try wait { self.takeKeys() }
    var byte: UInt8 = 0
    return Glibc.read(descriptor, &byte, 1) == 1 ? byte : nil
  }

  /// Takes the rest of what an arrow key or the like sends (ECMA-48, 5.4): it ends with a letter or `~`.
  func skipSequence() throws {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&ready, 1, 20) > 0, let byte = try key() {
      if byte != UInt8(ascii: "["), byte != UInt8(ascii: "O"), (0x40...0x7E).contains(byte) { return }
    }
  }

  /// In columns.
  var width: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  // MARK: - Questions

  /// Whether the person says yes; everything else is a no.
  func confirm(_ question: String) throws -> Bool {
    show(question + " [y/N] ")
    let answer = try line().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    return ["y", "yes"].contains(answer.lowercased())
  }

  private func line(meanwhile: () -> Void = {}) throws -> SecretBytes {
    try wait(meanwhile)
    return SecretBytes(reading: descriptor, upTo: 4096, endsAtLine: true) ?? SecretBytes([])
  }

  /// Waits until something is typed.
  ///
  /// - Parameter meanwhile: is called now and then until then.
  private func wait(_ meanwhile: () -> Void) throws {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // Ctrl-C cancels the task; the settings of the terminal are put back before the program ends.
    while poll(&ready, 1, 50) == 0 {
      try Task.checkCancellation()
      meanwhile()
    }
    try Task.checkCancellation()
  }
}
