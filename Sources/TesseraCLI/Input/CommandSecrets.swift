import Foundation
import Synchronization
import Tessera

/// Where a command gets passphrases and PINs from: the descriptor that was named for them, else the terminal, else a
/// dialogue on the desktop. Never the command line, which everybody can read.
final class CommandSecrets: SecretAsking {
  /// What a descriptor was named for.
  enum Use: Hashable { case key, newKey, importedFile }

  private static let longest = 4096
  private let descriptors: [Use: Int32]
  private let terminal: TerminalSecrets
  /// A descriptor can be read once, and a secret be asked for more often.
  private let given = Mutex<[Use: SecretBytes]>([:])

  init(_ descriptors: [Use: Int32?] = [:], terminal: TerminalSecrets = TerminalSecrets()) throws {
    self.terminal = terminal
    self.descriptors = descriptors.compactMapValues { $0 }
    for descriptor in self.descriptors.values where fcntl(descriptor, F_GETFD) < 0 {
      throw Failure(
        .usage, "File descriptor \(descriptor) is not open.", remedy: "For example: --passphrase-fd 3 3< passphrase.txt"
      )
    }
  }

  func ask(_ question: SecretQuestion, hint: String?) async throws -> SecretBytes? {
    if let secret = try await given(question) { return secret }
    if let secret = try await terminal.ask(question, hint: hint) { return secret }
    return try await Desktop().ask(question, hint: hint)
  }

  func given(_ question: SecretQuestion) async throws -> SecretBytes? {
    let use = Self.use(of: question)
    guard let descriptor = descriptors[use] else { return nil }
    return try given.withLock { given in
      if let secret = given[use] { return secret }
      guard let secret = SecretBytes(reading: descriptor, upTo: Self.longest, endsAtLine: true), secret.count > 0 else {
        throw Failure(
          .usage, "File descriptor \(descriptor) does not give a secret.",
          remedy: "Its first line is to be the secret, of at most \(Self.longest) bytes.")
      }
      given[use] = secret
      return secret
    }
  }

  private static func use(of question: SecretQuestion) -> Use {
    switch question {
    case .passphrase, .pin, .keyPIN: .key
    case .newPassphrase, .newPIN: .newKey
    case .importPassphrase: .importedFile
    }
  }
}
