public import Failures

/// Why a key store could not do it. No case holds a secret or a key's content.
public enum KeyStoreError: Error, Sendable, Equatable {
  /// What is wrong with the name, to be read after "The key name".
  case badName(String)
  case notFound(KeyName, store: String)
  case exists(KeyName, store: String)
  /// The web origin has as many as it can have.
  case tooMany(limit: Int)
  /// The file of a key cannot be read as one; the text says which part.
  case damaged(KeyName, String)
  /// The folder of the keys cannot be used.
  case folder(path: String, reason: String)
  /// Another process exchanged the key in the same moment.
  case changedMeanwhile(KeyName)
  case wrongPassphrase
  /// There is no Secret Service here, and the key's secret is in one.
  case noKeyring(KeyName)
  /// The Secret Service has no secret for this key.
  case wrappingSecretMissing(KeyName)
  /// Nobody can be asked for it.
  case secretNeeded(SecretQuestion)
  /// An asked person gave nothing.
  case secretRefused(SecretQuestion)
  case weakSecret(String)
  case confirmationRefused(String)
  /// The last question of this origin was not agreed to, and the next one may come after so many seconds.
  case confirmationPaused(seconds: Int)
  case notExportable(store: String)
  case notImportable(store: String)
  case badStore(String)
}

extension KeyStoreError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .badName(let reason):
      Failure(
        .usage, "The key name \(reason).",
        remedy: "Choose a name of letters, digits, - and _; others count three bytes of the \(KeyName.longest).")
    case .notFound(let name, let store):
      Failure(
        .keyNotFound, "There is no key \(quoted(name)) in \(describe(store)).",
        remedy: "`tessera key list` shows the keys.")
    case .exists(let name, let store):
      Failure(
        .keyExists, "There is a key \(quoted(name)) in \(describe(store)) already.",
        remedy: "Choose another name, or give --replace.")
    case .tooMany(let limit):
      Failure(
        .storageFull, "This web origin has \(limit) keys, and can have no more.",
        remedy: "Delete some: `tessera key list` shows them.")
    case .damaged(let name, let part):
      Failure(
        .keyStoreFailed, "The file of the key \(quoted(name)) is damaged: \(part).",
        remedy: "Restore it from a backup, or delete the key.")
    case .folder(let path, let reason):
      Failure(
        .keyStoreUnavailable, "The key folder \(path) cannot be used: \(reason).",
        remedy: "See that it is your own and that there is room.")
    case .changedMeanwhile(let name):
      Failure(
        .keyStoreFailed, "The key \(quoted(name)) was exchanged by another process in this moment.",
        remedy: "Try again.")
    case .noKeyring(let name):
      Failure(
        .keyStoreUnavailable, "The key \(quoted(name)) is opened by the keyring, and there is none in this session.",
        remedy: "Run it in the session in which the key was made.")
    case .wrongPassphrase:
      Failure(
        .secretWrong, "The passphrase does not open this key.", remedy: "Give the one that it was made with.")
    case .wrappingSecretMissing(let name):
      Failure(
        .keyStoreFailed, "The Secret Service holds no secret for the key \(quoted(name)).",
        remedy: "Unlock the keyring in which the key was made; without it the key is lost.")
    case .secretNeeded(let question):
      Failure(
        .secretNeeded, "\(question.subject) is needed, and there is nobody to ask for it.",
        remedy: question.remedy)
    case .secretRefused(let question):
      Failure(.secretNeeded, "\(question.subject) was not given.", remedy: question.remedy)
    case .weakSecret(let reason):
      Failure(.usage, reason, remedy: "Give another one.")
    case .confirmationRefused(let reason):
      Failure(
        .confirmationRefused, reason,
        remedy: "Confirm the signature, or run: tessera key confirm NAME never --origin ORIGIN")
    case .confirmationPaused(let seconds):
      Failure(
        .confirmationRefused,
        "The last question about a signature of this origin was not agreed to; the next one may come in \(seconds) s.",
        remedy: "Wait so long, and try again.", details: ["retryAfter": "\(seconds)"])
    case .notExportable(let store):
      Failure(
        .keyNotExportable, "A key in \(describe(store)) cannot leave it.",
        remedy: "Only keys of the store \"file\" can be exported.")
    case .notImportable(let store):
      Failure(
        .keyNotExportable, "Keys cannot be brought into \(describe(store)).",
        remedy: "Import into the store \"file\", or make the key there.")
    case .badStore(let reason):
      Failure(.usage, reason, remedy: "A store is file, tpm2 or a pkcs11: URI (RFC 7512).")
    }
  }

  private func describe(_ store: String) -> String {
    store.hasPrefix("pkcs11:") ? "the token" : "the store \"\(store)\""
  }

  /// Names may come from web content; nothing in them reaches a terminal as a command.
  private func quoted(_ name: KeyName) -> String {
    "\"\(PrintableText.of(name.name))\""
      + (name.owner == .local ? "" : " of \(PrintableText.of(name.owner.text))")
  }
}
