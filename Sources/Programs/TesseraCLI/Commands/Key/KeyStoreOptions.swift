import ArgumentParser
import Tessera
import TesseraCommandLine

/// The store of a key, its owner and its passphrase or PIN.
struct KeyStoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The key store: \(KeyStores.choices).", valueName: "store"))
  var store = KeyStores.standard

  @Option(
    help: ArgumentHelp("The web origin that owns the key, if it is not a local key.", valueName: "origin"),
    completion: NameCompletion.origins)
  var origin: String?

  @Option(
    help: ArgumentHelp("Read the passphrase or PIN from the first line of this file descriptor.", valueName: "n"))
  var passphraseFd: Int32?

  @Flag(help: "Save a correct token PIN in the desktop's keyring (Secret Service).")
  var rememberPin = false

  func name(_ text: String) throws -> KeyName {
    try KeyName(text, owner: try origin.map(Caller.init(named:)) ?? .local)
  }

  /// The store, for operations on existing keys.
  func existing() throws -> any KeyStore {
    try open(.passphrase, try CommandSecrets([.key: passphraseFd]))
  }

  func open(_ newKeys: FileKeyStore.NewKeys, _ secrets: CommandSecrets) throws -> any KeyStore {
    guard !rememberPin || KeyStores.can(.sharedPIN, store) else {
      throw Failure(.usage, "--remember-pin applies to tokens only.", remedy: "Omit it.")
    }
    return try KeyStores.store(store, newKeys: newKeys, secrets: secrets, remembersPIN: rememberPin)
  }
}

extension Caller {
  /// Creates the owner from a web origin in any notation.
  init(named origin: String) throws { self = .web(origin: try WebOrigin(named: origin).canonical) }
}

/// How a new key is protected.
struct NewKeyOptions: ParsableArguments {
  @Flag(help: "Use a passphrase even if the desktop's keyring can protect the key.")
  var passphrase = false

  @Flag(help: "Do not encrypt the key. Only its file mode (0600) protects it.")
  var unprotected = false

  @Option(
    help:
      "Whether signing for a web origin requires the user's confirmation: always, session, never (default: unchanged)."
  )
  var confirm: ConfirmationPolicy?

  @Flag(help: "Replace an existing key of this name.")
  var replace = false

  func validate() throws {
    if passphrase, unprotected { throw ValidationError("--passphrase and --unprotected are mutually exclusive.") }
  }

  /// Creates a key and applies `--confirm`: creating a key can only make the policy of its name stricter.
  func create(_ name: KeyName, with body: (ConfirmationPolicy) async throws -> StoredKey) async throws -> StoredKey {
    let key = try await body(confirm ?? .never)
    guard let confirm, confirm < key.confirmation else { return key }
    try ConfirmationPolicies().set(confirm, of: name)
    return key.confirmed(confirm)
  }

  func newKeys(_ store: KeyStoreOptions) throws -> FileKeyStore.NewKeys {
    if unprotected {
      guard KeyStores.can(.unprotectedKeys, store.store) else {
        throw Failure(
          .usage, "--unprotected applies to \(KeyStores.named(.unprotectedKeys)) only.", remedy: "Omit it.")
      }
      guard store.passphraseFd == nil else {
        throw Failure(
          .usage, "--unprotected and --passphrase-fd are mutually exclusive.", remedy: "Use only one of them.")
      }
      return .unprotected
    }
    if passphrase, KeyStores.can(.sharedPIN, store.store) {
      throw Failure(.usage, "--passphrase does not apply to tokens: a PIN protects a token.", remedy: "Omit it.")
    }
    return passphrase || store.passphraseFd != nil ? .passphrase : .secretServiceOrPassphrase
  }
}

extension ConfirmationPolicy: ExpressibleByArgument {}
extension SignatureFormat: ExpressibleByArgument {}
extension PublicKeyFormat: ExpressibleByArgument {}
