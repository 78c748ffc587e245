import Foundation
import Tessera

/// Asks on the controlling terminal, without showing what is typed.
struct TerminalSecrets: SecretAsking {

  func ask(_ question: SecretQuestion, hint: String?) async throws -> SecretBytes? {
    guard let terminal = ControllingTerminal() else { return nil }
    if let hint { terminal.show(hint + "\n") }
    let secret = try terminal.read(question.prompt + ": ")
    guard secret.count > 0 else { throw KeyStoreError.secretRefused(question) }
    if question.isNew {
      guard try terminal.read("Once more: ") == secret else {
        throw Failure(.usage, "The two are not the same.", remedy: "Try again.")
      }
    }
    return secret
  }
}

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
    var silent = settings
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(descriptor, TCSAFLUSH, &silent)
    defer {
      tcsetattr(descriptor, TCSAFLUSH, &settings)
      show("\n")
    }
    show(prompt)
    return try line()
  }

  /// One line, shown as it is typed.
  func ask(_ prompt: String) throws -> String {
    show(prompt)
    return try line().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  private func line() throws -> SecretBytes {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // Ctrl-C cancels the task; the settings of the terminal are put back before the program ends.
    while poll(&ready, 1, 100) == 0 { try Task.checkCancellation() }
    try Task.checkCancellation()
    return SecretBytes(reading: descriptor, upTo: 4096, endsAtLine: true) ?? SecretBytes([])
  }
}
