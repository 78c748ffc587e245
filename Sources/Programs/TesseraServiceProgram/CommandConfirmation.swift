import Tessera
import TesseraCommandLine

/// Asks for confirmation on the terminal, or without one in a desktop dialogue.
struct CommandConfirmation: ConfirmationPrompting {
  func confirm(_ text: String) async throws -> Bool? {
    if let terminal = ControllingTerminal() {
      return try terminal.confirm(
        text.split(separator: "\n").map { Terminal.printable(String($0)) }.joined(separator: "\n"))
    }
    return try await Desktop().confirm(text)
  }
}
