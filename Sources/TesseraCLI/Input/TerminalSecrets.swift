import Foundation
import Tessera
import Threads

/// Asks on the controlling terminal, without showing what is typed.
struct TerminalSecrets: SecretAsking {
  /// Whether a program in the background asks elsewhere: the shell stops one that turns to the terminal, and a service would
  /// stop for all of its clients.
  var isForForegroundOnly = false

  /// A person thinks for as long as it takes, and answers one question after the other.
  private static let keyboard = BlockingWork(name: "terminal")

  func ask(_ question: SecretQuestion, hint: String?) async throws -> SecretBytes? {
    try await Self.keyboard.run { try answer(question, hint) }
  }

  private func answer(_ question: SecretQuestion, _ hint: String?) throws -> SecretBytes? {
    guard let terminal = ControllingTerminal(), !isForForegroundOnly || terminal.isForeground else { return nil }
    if let hint { terminal.show(hint + "\n") }
    let secret = try terminal.read(Terminal.printable(question.prompt) + ": ")
    guard secret.count > 0 else { throw KeyStoreError.secretRefused(question) }
    if question.isNew {
      guard try terminal.read("Once more: ") == secret else {
        throw Failure(.usage, "The two are not the same.", remedy: "Try again.")
      }
    }
    return secret
  }
}
