import TesseraDurableFiles
internal import TesseraTPM

/// The key stores of the user.
public enum KeyStores {
  /// `$XDG_DATA_HOME/tessera/keys` (XDG Base Directory Specification).
  public static var defaultPath: String { UserFolders.data + "/keys" }

  /// The limit of keys for each web origin and store. Local programs have no limit.
  public static let keysPerOrigin = 256

  /// The stores that can be listed without a token.
  package static let ownStores = ["file", "tpm2"]

  /// Frees what this process has loaded in a TPM, before it ends.
  package static func release() async { await TrustedPlatformModule.releaseAll() }

  /// Opens the store with this designation.
  ///
  /// - Parameters:
  ///   - designation: `file`, `tpm2` or a `pkcs11:` URI (RFC 7512).
  ///   - newKeys: the protection of new keys in the store `file`.
  ///   - secrets: the source of passphrases and PINs.
  ///   - remembersPIN: whether to store the PIN of a token, once entered, in the Secret Service.
  ///   - path: the folder that contains the stores of the user.
  /// - Throws: `KeyStoreError.badStore`, `TokenError.badURI`.
  public static func store(
    _ designation: String, newKeys: FileKeyStore.NewKeys, secrets: any SecretPrompting, remembersPIN: Bool = false,
    path: String = defaultPath
  ) throws -> any KeyStore {
    switch Handwritten.trimmed(designation) {
    case "file": return FileKeyStore(path: path, newKeys: newKeys, secrets: secrets)
    case "tpm2":
      var newKeysHavePIN = false
      if case .passphrase = newKeys { newKeysHavePIN = true }
      return TPMKeyStore(path: path, newKeysHavePIN: newKeysHavePIN, secrets: secrets)
    case let uri where uri.hasPrefix("pkcs11:"):
      return try TokenKeyStore(uri: uri, secrets: secrets, remembersPIN: remembersPIN, path: path)
    default: throw KeyStoreError.badStore("The kind of key store is unknown.")
    }
  }
}
