package import TesseraCryptography

/// A kind of key store: its name, what it can do, and its words in help and errors. It stands beside its store;
/// `KeyStores.kinds` has an entry for each.
package struct KeyStoreKind: Sendable {
  /// What a store of a kind can do beyond `KeyStore`.
  package enum Ability: Sendable {
    /// Its keys can be listed without naming the store.
    case listing
    /// It imports and exports private keys (`PortableKeyStore`).
    case exchange
    /// A new key can be unencrypted.
    case unprotectedKeys
    /// One PIN protects all its keys, which have no passphrases. It can be kept in the Secret Service.
    case sharedPIN
  }

  /// How the user wants to use a store.
  struct Opening {
    let designation: String
    let newKeys: FileKeyStore.NewKeys
    let secrets: any SecretPrompting
    let remembersPIN: Bool
    /// The folder that contains the stores of the user.
    let path: String
  }

  /// The designation of its only store, or the scheme of the URIs of its stores, with the colon.
  package let name: String
  package let abilities: Set<Ability>
  /// The kind in a list of choices.
  let choice: String
  /// A store of this kind in a sentence.
  let subject: String
  /// A sentence for the help about new keys.
  let help: String?
  let open: @Sendable (Opening) throws -> any KeyStore
  /// Frees what this process has loaded, before it ends.
  let release: @Sendable () async -> Void
  /// Why this machine has no such store, as far as that can be told without opening one; nil otherwise.
  let obstacle: @Sendable () -> (any Error)?

  /// - Parameters:
  ///   - choice: nil for the name.
  ///   - subject: nil for the name.
  init(
    _ name: String, _ abilities: Set<Ability>, choice: String? = nil, subject: String? = nil, help: String? = nil,
    release: @escaping @Sendable () async -> Void = {}, obstacle: @escaping @Sendable () -> (any Error)? = { nil },
    open: @escaping @Sendable (Opening) throws -> any KeyStore
  ) {
    self.name = name
    self.abilities = abilities
    self.choice = choice ?? name
    self.subject = subject ?? "the store \"\(name)\""
    self.help = help
    self.release = release
    self.obstacle = obstacle
    self.open = open
  }

  func includes(_ designation: String) -> Bool {
    designation == name || name.last == ":" && designation.hasPrefix(name)
  }
}

/// A store whose private keys can be imported and exported.
package protocol PortableKeyStore: KeyStore {
  /// Stores an existing key.
  ///
  /// - Throws: the errors of `generate`.
  func `import`(
    _ key: SigningKey, as name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool
  ) async throws -> StoredKey

  /// Opens the private key, for an export.
  ///
  /// - Throws: `KeyStoreError`.
  func privateKey(_ name: KeyName) async throws -> SigningKey

  /// The encrypted key as stored, if it is protected by a passphrase; otherwise nil.
  ///
  /// - Throws: `KeyStoreError.notFound`.
  func encryptedKey(_ name: KeyName) async throws -> EncryptedPrivateKey?
}
