import Glibc
import Synchronization
package import Tessera
internal import TesseraThreads

/// The source of a command's passphrases and PINs: a file descriptor from an option, else the terminal, else a desktop
/// dialogue. Never the command line, which other users can see.
package final class CommandSecrets: SecretPrompting {
  /// The secret that a descriptor provides.
  package enum Use: Hashable { case key, newKey, importedFile }

  private static let longest = 4096
  private let descriptors: [Use: Int32]
  private let terminal: TerminalSecrets
  /// A descriptor can be read only once, but a secret may be needed several times.
  private let given = Mutex<[Use: SecretBytes]>([:])

  package init(_ descriptors: [Use: Int32?] = [:], terminal: TerminalSecrets = TerminalSecrets()) throws {
    self.terminal = terminal
    self.descriptors = descriptors.compactMapValues { $0 }
    for descriptor in self.descriptors.values where fcntl(descriptor, F_GETFD) < 0 {
      throw Failure(
        .usage, "File descriptor \(descriptor) is not open.",
        remedy: "Open it in the shell, for example: --passphrase-fd 3 3< passphrase.txt"
      )
    }
  }

  package func ask(_ question: SecretPrompt, hint: String?) async throws -> SecretBytes? {
    if let secret = try await availableSecret(for: question) { return secret }
    if let secret = try await terminal.ask(question, hint: hint) { return secret }
    return try await Desktop().ask(question, hint: hint)
  }

  package func tell(_ text: String) { Note.write(text) }

  package func availableSecret(for question: SecretPrompt) async throws -> SecretBytes? {
    let use = Self.use(of: question)
    guard let descriptor = descriptors[use] else { return nil }
    return try given.withLock { given in
      if let secret = given[use] { return secret }
      guard let secret = Handwritten.secret(from: descriptor, upTo: Self.longest), secret.count > 0 else {
        throw Failure(
          .usage, "File descriptor \(descriptor) provides no secret.",
          remedy: "Provide the secret as its first line, of at most \(Self.longest) bytes.")
      }
      given[use] = secret
      return secret
    }
  }

  private static func use(of question: SecretPrompt) -> Use {
    switch question {
    case .passphrase, .pin, .keyPIN: .key
    case .newPassphrase, .newPIN: .newKey
    case .importPassphrase: .importedFile
    }
  }
}

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
    for attempt in 1...Self.attempts {
      let number = attempt == 1 ? "" : " (\(attempt) of \(Self.attempts))"
      let secret = try terminal.read("\(Terminal.printable(question.prompt))\(number): ")
      guard secret.count > 0 else { throw KeyStoreError.secretRefused(question) }
      guard question.isNew else { return secret }
      if try terminal.read("Repeat\(number): ") == secret { return secret }
      if attempt < Self.attempts { terminal.show("The two entries differ. Enter both again.\n") }
    }
    throw Failure(.usage, "The two entries differed \(Self.attempts) times.", remedy: "Run the command again.")
  }

  /// How often a new secret and its repetition may be entered.
  private static let attempts = 3
}
