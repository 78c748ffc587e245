import Tessera

/// Asks the person at the terminal, or where there is none the one at the desktop.
struct CommandConfirmation: ConfirmationAsking {
  func confirm(_ text: String) async throws -> Bool? {
    if let terminal = ControllingTerminal() {
      return try terminal.confirm(
        text.split(separator: "\n").map { Terminal.printable(String($0)) }.joined(separator: "\n"))
    }
    return try await Desktop().confirm(text)
  }
}
