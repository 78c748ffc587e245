import Foundation
import Tessera

/// Asks on the controlling terminal, without showing what is typed.
struct TerminalSecrets: SecretAsking {

  func ask(_ question: SecretQuestion, hint: String?) async throws -> SecretBytes? {
    guard let terminal = ControllingTerminal() else { return nil }
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
