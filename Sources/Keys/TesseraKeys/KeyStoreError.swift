public import TesseraCore

/// An error of a key store. No case contains a secret or a private key.
public enum KeyStoreError: Error, Sendable, Equatable {
  /// The name is invalid. The text completes the sentence "The key name …".
  case badName(String)
  case notFound(KeyName, store: String)
  case exists(KeyName, store: String)
  /// The token contains neither the public key of this key nor a certificate of it.
  case noPublicKey(KeyName)
  /// The web origin reached its limit of keys.
  case tooMany(limit: Int)
  /// The file of a key is damaged; the text names the part.
  case damaged(KeyName, String)
  /// The folder of the keys is unusable.
  case folder(path: String, reason: String)
  /// Another process replaced the key during the operation.
  case changedConcurrently(KeyName)
  case wrongPassphrase
  /// The key requires a secret from the Secret Service, which is not available.
  case noKeyring(KeyName)
  /// The Secret Service does not contain the secret of this key.
  case wrappingSecretMissing(KeyName)
  /// The Secret Service did not store the secret of a new key, for this reason.
  case keyringRefused(Failure)
  /// The secret is needed, and no prompt is possible.
  case secretNeeded(SecretPrompt)
  /// The user entered nothing.
  case secretRefused(SecretPrompt)
  case confirmationRefused(String)
  /// The user refused the last prompt of this origin; the next one is possible after this many seconds.
  case confirmationPaused(seconds: Int)
  case notExportable(store: String)
  case notImportable(store: String)
  case badStore(String)
}

extension KeyStoreError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .badName(let reason):
      Failure(
        .usage, "The key name \(reason).",
        remedy: "Use letters, digits, - and _. The name may have at most \(KeyName.longest) bytes; "
          + "each byte of another character counts as three.")
    case .notFound(let name, let store):
      Failure(
        .keyNotFound, "There is no key \(quoted(name)) in \(KeyStores.subject(store)).",
        remedy: "Check the name in the list of keys.")
    case .exists(let name, let store):
      Failure(
        .keyExists, "There is already a key \(quoted(name)) in \(KeyStores.subject(store)).",
        remedy: "Choose another name, or replace the key explicitly.")
    case .noPublicKey(let name):
      Failure(
        .keyNotFound, "The token does not hold the public key of the key \(quoted(name)).",
        remedy: "Sign with it; take its public key from where it was made, or write its certificate to the token.")
    case .tooMany(let limit):
      Failure(
        .storageFull, "This web origin reached its limit of \(limit) keys.",
        remedy: "Delete keys that are no longer needed.")
    case .damaged(let name, let part):
      Failure(
        .keyStoreFailed, "The file of the key \(quoted(name)) is damaged: \(part).",
        remedy: "Restore it from a backup, or delete the key.")
    case .folder(let path, let reason):
      Failure(
        .keyStoreUnavailable, "The key folder \(path) is unusable: \(reason).",
        remedy: "Make sure that you own the folder and that the disk is not full.")
    case .changedConcurrently(let name):
      Failure(
        .keyStoreFailed, "Another process replaced the key \(quoted(name)) during this operation.",
        remedy: "Try again.")
    case .noKeyring(let name):
      Failure(
        .keyStoreUnavailable, "The key \(quoted(name)) is protected by the keyring, and this session has no keyring.",
        remedy: "Run the command in the desktop session in which the key was generated.")
    case .wrongPassphrase:
      Failure(
        .secretWrong, "The passphrase of the key is wrong.",
        remedy: "Use the passphrase that was set when the key was generated.")
    case .wrappingSecretMissing(let name):
      Failure(
        .keyStoreFailed, "The keyring does not contain the secret of the key \(quoted(name)).",
        remedy: "Unlock the keyring that was in use when the key was generated. Without it the key is lost.")
    case .keyringRefused(let reason):
      Failure(
        reason.kind, reason.cause,
        remedy:
          "Answer the keyring's prompt, or protect the key with a passphrase instead of the keyring: --passphrase",
        details: reason.details)
    case .secretNeeded(let prompt):
      Failure(
        .secretNeeded, "\(prompt.subject) is needed, and no prompt is possible.",
        remedy: prompt.remedy)
    case .secretRefused(let prompt):
      Failure(.secretNeeded, "\(prompt.subject) was not entered.", remedy: prompt.remedyOfRefusal)
    case .confirmationRefused(let reason):
      Failure(
        .confirmationRefused, reason,
        remedy: "Confirm the signature, or relax the confirmation policy of the key.")
    case .confirmationPaused(let seconds):
      Failure(
        .confirmationRefused,
        "The user refused the last prompt of this origin; the next one is possible in \(seconds) s.",
        remedy: "Wait \(seconds) s, then try again.", details: ["retryAfter": "\(seconds)"])
    case .notExportable(let store):
      Failure(
        .keyNotExportable, "Private keys in \(KeyStores.subject(store)) are not exportable.",
        remedy: "Export keys of \(KeyStores.named(.exchange)) only.")
    case .notImportable(let store):
      Failure(
        .keyNotExportable, "Keys cannot be imported into \(KeyStores.subject(store)).",
        remedy: "Import the key into \(KeyStores.named(.exchange)), or generate a new key.")
    case .badStore(let reason):
      Failure(.usage, reason, remedy: "Use \(KeyStores.choices).")
    }
  }

  /// The name, made safe to display: web content can choose it.
  private func quoted(_ name: KeyName) -> String {
    "\"\(PrintableText.of(name.name))\""
      + (name.owner == .local ? "" : " of \(PrintableText.of(name.owner.ownerName))")
  }
}
