public import Cryptography

/// A secret that a person knows.
public enum SecretQuestion: Sendable, Equatable {
  /// The passphrase of a key that is to be opened.
  case passphrase(key: String)
  /// One for a new key; asked twice where it is typed.
  case newPassphrase(key: String)
  /// The passphrase of a file that is imported.
  case importPassphrase
  case pin(token: String)
  /// The PIN of one key.
  case keyPIN(key: String)
  case newPIN(key: String)

  /// The thing that is asked for, at the beginning of a sentence.
  var subject: String {
    switch self {
    case .passphrase, .newPassphrase: "The passphrase of the key"
    case .importPassphrase: "The passphrase of the imported file"
    case .pin: "The PIN of the token"
    case .keyPIN: "The PIN of the key"
    case .newPIN: "A PIN for the key"
    }
  }

  var remedy: String {
    switch self {
    case .passphrase: "Run it in a terminal, or give --passphrase-fd."
    case .newPassphrase: "Run it in a terminal, or give --passphrase-fd or --unprotected."
    case .importPassphrase: "Run it in a terminal, or give --source-passphrase-fd."
    case .pin: "Run it in a terminal, or give pin-source in the URI, or --passphrase-fd."
    case .keyPIN, .newPIN: "Run it in a terminal, or give --passphrase-fd."
    }
  }

  /// What a terminal or a dialogue shows.
  public var prompt: String {
    switch self {
    case .passphrase(let key): "Passphrase of the key \(key)"
    case .newPassphrase(let key): "New passphrase for the key \(key)"
    case .importPassphrase: "Passphrase of the file"
    case .pin(let token): "PIN of \(token)"
    case .keyPIN(let key): "PIN of the key \(key)"
    case .newPIN(let key): "New PIN for the key \(key)"
    }
  }

  public var isNew: Bool {
    switch self {
    case .newPassphrase, .newPIN: true
    default: false
    }
  }
}

/// Somebody or something that knows secrets: a terminal, a dialogue, a file descriptor.
public protocol SecretAsking: Sendable {
  /// - Parameter hint: what the person should know first, such as that the last answer was wrong.
  /// - Returns: nil where nobody can be asked.
  /// - Throws: `KeyStoreError.secretRefused` where a person was asked and gave nothing; `CancellationError`.
  func ask(_ question: SecretQuestion, hint: String?) async throws -> SecretBytes?

  /// The answer that is there without asking anybody, such as one that was handed over with the command; nil where there
  /// is none.
  func given(_ question: SecretQuestion) async throws -> SecretBytes?
}

extension SecretAsking {
  public func given(_ question: SecretQuestion) async throws -> SecretBytes? { nil }

  func require(_ question: SecretQuestion) async throws -> SecretBytes {
    guard let secret = try await ask(question, hint: nil) else { throw KeyStoreError.secretNeeded(question) }
    return secret
  }
}

/// Nobody there: what needs a secret fails.
public struct NobodyToAsk: SecretAsking {
  public init() {}
  public func ask(_ question: SecretQuestion, hint: String?) async throws -> SecretBytes? { nil }
}
