import ArgumentParser
import Foundation
import Tessera

/// Where a key is, and who opens it.
struct KeyStoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Where the key is: file, tpm2 or a pkcs11: URI (RFC 7512).", valueName: "store"))
  var store = "file"

  @Option(
    help: ArgumentHelp("The key is one of this web origin's, not a local one.", valueName: "origin"))
  var origin: String?

  @Option(
    help: ArgumentHelp("Read the passphrase or PIN from this file descriptor, up to the line's end.", valueName: "n"))
  var passphraseFd: Int32?

  @Flag(help: "Keep the token's PIN in the desktop's keyring (Secret Service) once it has been right.")
  var rememberPin = false

  func name(_ text: String) throws -> KeyName {
    try KeyName(text, owner: try origin.map(KeyOwner.init(named:)) ?? .local)
  }

  /// The store for keys that are there already.
  func existing() throws -> any KeyStore {
    try open(.passphrase, try CommandSecrets([.key: passphraseFd]))
  }

  func open(_ newKeys: FileKeyStore.NewKeys, _ secrets: CommandSecrets) throws -> any KeyStore {
    guard !rememberPin || store.hasPrefix("pkcs11:") else {
      throw Failure(.usage, "--remember-pin is for tokens.", remedy: "Leave it out.")
    }
    return try KeyStores.store(store, newKeys: newKeys, secrets: secrets, remembersPIN: rememberPin)
  }
}

extension KeyOwner {
  /// The web origin that a person names.
  init(named origin: String) throws { self = .web(origin: try WebOrigin(named: origin).canonical) }
}

/// How a new key is protected.
struct NewKeyOptions: ParsableArguments {
  @Flag(help: "Ask for a passphrase even where the desktop's keyring could protect the key.")
  var passphrase = false

  @Flag(help: "Do not encrypt the key: only the mode of its file (0600) protects it.")
  var unprotected = false

  @Option(
    help:
      "Whether a person is asked before a web origin's signature is made: always, session, never (default: as before).")
  var confirm: ConfirmationPolicy?

  @Flag(help: "Replace a key of this name.")
  var replace = false

  func validate() throws {
    if passphrase, unprotected { throw ValidationError("--passphrase and --unprotected exclude each other.") }
  }

  /// Makes a key by `make`, which can only make the policy of its name stricter, and then sets what was said here.
  func making(_ name: KeyName, _ make: (ConfirmationPolicy) async throws -> StoredKey) async throws -> StoredKey {
    let key = try await make(confirm ?? .never)
    guard let confirm, confirm < key.confirmation else { return key }
    try ConfirmationPolicies().set(confirm, of: name)
    return key.confirmed(confirm)
  }

  func newKeys(_ store: KeyStoreOptions) throws -> FileKeyStore.NewKeys {
    if unprotected {
      guard store.store == "file" else {
        throw Failure(.usage, "--unprotected is for the store \"file\".", remedy: "Leave it out.")
      }
      guard store.passphraseFd == nil else {
        throw Failure(.usage, "--unprotected and --passphrase-fd exclude each other.", remedy: "Give one of them.")
      }
      return .unprotected
    }
    if passphrase, store.store.hasPrefix("pkcs11:") {
      throw Failure(.usage, "A token has its PIN; --passphrase is for other stores.", remedy: "Leave it out.")
    }
    return passphrase || store.passphraseFd != nil ? .passphrase : .secretServiceOrPassphrase
  }
}

extension ConfirmationPolicy: ExpressibleByArgument {}
extension SignatureFormat: ExpressibleByArgument {}
extension PublicKeyFormat: ExpressibleByArgument {}
