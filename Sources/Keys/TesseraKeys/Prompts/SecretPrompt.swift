public import TesseraCryptography

/// A request for a secret that the user knows.
public enum SecretPrompt: Sendable, Equatable {
  /// The passphrase of an existing key.
  case passphrase(key: String)
  /// The passphrase of a new key; an interactive prompt asks for it twice.
  case newPassphrase(key: String)
  /// The passphrase of a file to import.
  case importPassphrase
  /// The PIN of a PKCS#11 token.
  case pin(token: String)
  /// The PIN of one key.
  case keyPIN(key: String)
  /// The PIN of a new key.
  case newPIN(key: String)

  /// The requested secret, as the beginning of a sentence.
  var subject: String {
    switch self {
    case .passphrase, .newPassphrase: "The passphrase of the key"
    case .importPassphrase: "The passphrase of the imported file"
    case .pin: "The PIN of the token"
    case .keyPIN: "The PIN of the key"
    case .newPIN: "A PIN for the key"
    }
  }

  /// What a program does that has not said where the secret comes from.
  var remedy: String {
    switch self {
    case .passphrase, .newPassphrase:
      "Provide the passphrase. A program passes what asks for it to the key store (secrets:)."
    case .importPassphrase: "Provide the passphrase. A program passes what asks for it to ImportedKey.read."
    case .pin:
      "Provide the PIN. A program passes what asks for it to the key store (secrets:), or names its file with pin-source "
        + "in the URI."
    case .keyPIN, .newPIN: "Provide the PIN. A program passes what asks for it to the key store (secrets:)."
    }
  }

  /// What the user does who has entered nothing.
  var remedyOfRefusal: String {
    switch self {
    case .passphrase, .newPassphrase, .importPassphrase: "Try again, and enter the passphrase."
    case .pin, .keyPIN, .newPIN: "Try again, and enter the PIN."
    }
  }

  /// The label of the input field.
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

  /// Whether the user chooses the secret, so that an interactive prompt asks for it twice.
  public var isNew: Bool {
    switch self {
    case .newPassphrase, .newPIN: true
    default: false
    }
  }
}

/// A source of secrets, such as a terminal, a dialog or a file descriptor.
public protocol SecretPrompting: Sendable {
  /// Obtains a secret, if necessary from the user.
  ///
  /// - Parameters:
  ///   - prompt: the secret that is needed.
  ///   - hint: a message for the user, such as that the previous PIN was wrong.
  /// - Returns: nil if no prompt is possible.
  /// - Throws: `KeyStoreError.secretRefused` if the user entered nothing; `CancellationError`.
  func ask(_ prompt: SecretPrompt, hint: String?) async throws -> SecretBytes?

  /// The secret if it is available without a prompt, such as from a file descriptor; otherwise nil.
  func availableSecret(for prompt: SecretPrompt) async throws -> SecretBytes?

  /// Tells the user what a command waits for, or what it left behind.
  func tell(_ text: String)
}

extension SecretPrompting {
  public func availableSecret(for prompt: SecretPrompt) async throws -> SecretBytes? { nil }

  public func tell(_ text: String) {}

  /// Runs an operation of the keyring. Tells the user what it waits for if it takes more than three seconds.
  func whileKeyringWaits<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    let notice = Task {
      try await Task.sleep(for: .seconds(3))
      tell("Waiting for the keyring, which may ask for something in a window of its own.")
    }
    defer { notice.cancel() }
    return try await body()
  }

  /// - Throws: `KeyStoreError.secretNeeded` if no prompt is possible; the errors of `ask`.
  func require(_ prompt: SecretPrompt) async throws -> SecretBytes {
    guard let secret = try await ask(prompt, hint: nil) else { throw KeyStoreError.secretNeeded(prompt) }
    return secret
  }
}

/// Never prompts: operations that need a secret fail.
public struct NonInteractive: SecretPrompting {
  public init() {}
  public func ask(_ prompt: SecretPrompt, hint: String?) async throws -> SecretBytes? { nil }
}

/// Prompts on the desktop through pinentry. Each prompt checks again whether there is a desktop.
public struct Desktop: SecretPrompting, ConfirmationPrompting {
  public init() {}

  public func ask(_ prompt: SecretPrompt, hint: String?) async throws -> SecretBytes? {
    try await Pinentry()?.ask(prompt, hint: hint)
  }

  public func confirm(_ text: String) async throws -> Bool? { try await Pinentry()?.confirm(text) }
}
