package import Tessera
internal import TesseraThreads

/// Prompts for a secret on the controlling terminal, without echo.
package struct TerminalSecrets: SecretPrompting {
  /// Whether a background process skips the terminal. The kernel stops a background process that uses its terminal; a
  /// stopped service would block all of its clients.
  private let requiresForeground: Bool

  /// Prompts block until the user answers, one prompt after the other.
  private static let keyboard = BlockingWork(name: "terminal")

  package init(requiresForeground: Bool = false) { self.requiresForeground = requiresForeground }

  package func ask(_ question: SecretPrompt, hint: String?) async throws -> SecretBytes? {
    try await Self.keyboard.run { try answer(question, hint) }
  }

  private func answer(_ question: SecretPrompt, _ hint: String?) throws -> SecretBytes? {
    guard let terminal = ControllingTerminal(), !requiresForeground || terminal.isForeground else { return nil }
    if let hint { terminal.show(hint + "\n") }
    let secret = try terminal.read(Terminal.printable(question.prompt) + ": ")
    guard secret.count > 0 else { throw KeyStoreError.secretRefused(question) }
    if question.isNew {
      guard try terminal.read("Repeat: ") == secret else {
        throw Failure(.usage, "The two entries differ.", remedy: "Try again.")
      }
    }
    return secret
  }
}
