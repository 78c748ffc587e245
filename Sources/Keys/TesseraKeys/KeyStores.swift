import TesseraDurableFiles

/// The key stores of the user.
public enum KeyStores {
  /// `$XDG_DATA_HOME/tessera/keys` (XDG Base Directory Specification).
  public static var defaultPath: String { UserFolders.data + "/keys" }

  /// The limit of keys for each web origin and store. Local programs have no limit.
  public static let keysPerOrigin = 256

  /// All kinds, in the order in which help and errors name them.
  static let kinds: [KeyStoreKind] = [.file, .tpm, .token]

  /// The store that is used if none is named.
  package static let standard = KeyStoreKind.file.name

  /// The stores that can be listed without being named.
  package static var ownStores: [String] { kinds.filter { $0.abilities.contains(.listing) }.map(\.name) }

  /// The designations, for help and errors: `file, tpm2 or a pkcs11: URI (RFC 7512)`.
  package static var choices: String {
    let choices = kinds.map(\.choice)
    return "\(choices.dropLast().joined(separator: ", ")) or \(choices.last ?? "")"
  }

  /// The stores with an ability in a sentence: `the store "file"`, `the stores "file" and "tpm2"`.
  package static func named(_ ability: KeyStoreKind.Ability) -> String {
    let kinds = kinds.filter { $0.abilities.contains(ability) }
    guard kinds.count > 1 else { return kinds.first?.subject ?? "no store" }
    let names = kinds.map { "\"\($0.name)\"" }
    return "the stores \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
  }

  /// What the help about new keys says of the stores.
  package static var help: String { kinds.compactMap(\.help).joined(separator: "\n") }

  /// Whether the store has an ability. An unknown one has none.
  package static func can(_ ability: KeyStoreKind.Ability, _ designation: String) -> Bool {
    kind(of: designation)?.abilities.contains(ability) ?? false
  }

  /// Why this machine has no store of that kind, for example no TPM; nil if it has one, or if only its use can tell.
  package static func obstacle(_ designation: String) -> (any Error)? { kind(of: designation)?.obstacle() }

  /// The store in a sentence.
  static func subject(_ designation: String) -> String {
    kind(of: designation)?.subject ?? "the store \"\(designation)\""
  }

  private static func kind(of designation: String) -> KeyStoreKind? {
    let designation = canonical(designation)
    return kinds.first { $0.includes(designation) }
  }

  /// Without the space around it, and with the scheme of a URI in lower case: schemes ignore it (RFC 3986, 3.1), p11-kit
  /// does not.
  static func canonical(_ designation: String) -> String {
    let text = Handwritten.trimmed(designation)
    guard let end = text.firstIndex(of: ":"), text[...end].allSatisfy(\.isASCII) else { return text }
    let scheme = text[...end].lowercased()
    return kinds.contains { $0.name == scheme } ? scheme + text[end...].dropFirst() : text
  }

  /// Frees what this process has loaded, for example in a TPM, before it ends.
  package static func release() async { for kind in kinds { await kind.release() } }

  /// Opens the store with this designation.
  ///
  /// - Parameters:
  ///   - designation: `file`, `tpm2` or a `pkcs11:` URI (RFC 7512).
  ///   - newKeys: the protection of new keys, as far as the store has a choice.
  ///   - secrets: the source of passphrases and PINs. By default there is none, and what needs one throws
  ///     `KeyStoreError.secretNeeded`.
  ///   - remembersPIN: whether to store the PIN of a token, once entered, in the Secret Service.
  ///   - path: the folder that contains the stores of the user.
  /// - Throws: `KeyStoreError.badStore`, `TokenError.badURI`.
  public static func store(
    _ designation: String, newKeys: FileKeyStore.NewKeys = .secretServiceOrPassphrase,
    secrets: any SecretPrompting = NonInteractive(), remembersPIN: Bool = false, path: String = defaultPath
  ) throws -> any KeyStore {
    let designation = canonical(designation)
    guard let kind = kind(of: designation) else { throw KeyStoreError.badStore("The kind of key store is unknown.") }
    return try kind.open(
      KeyStoreKind.Opening(
        designation: designation, newKeys: newKeys, secrets: secrets, remembersPIN: remembersPIN, path: path))
  }
}
