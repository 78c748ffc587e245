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

  /// Whether the person says yes; everything else is a no.
  func confirm(_ question: String) throws -> Bool {
    show(question + " [y/N] ")
    let answer = try line().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    return ["y", "yes"].contains(answer.lowercased())
  }

  /// - Parameter meanwhile: is called now and then until something is typed.
  private func line(meanwhile: () -> Void = {}) throws -> SecretBytes {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // Ctrl-C cancels the task; the settings of the terminal are put back before the program ends.
    while poll(&ready, 1, 50) == 0 {
      try Task.checkCancellation()
      meanwhile()
    }
    try Task.checkCancellation()
    return SecretBytes(reading: descriptor, upTo: 4096, endsAtLine: true) ?? SecretBytes([])
  }
}
