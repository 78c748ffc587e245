import DurableFiles

/// Where the key stores of a user are.
public enum KeyStores {
  /// `$XDG_DATA_HOME/tessera/keys` (XDG Base Directory Specification).
  public static var defaultPath: String { UserFolders.data + "/keys" }

  /// How many keys one web origin can have in a store. Local programs can have any number.
  public static let keysPerOrigin = 256

  /// Those that need nothing but the user's folder to be listed.
  public static let ownStores = ["file", "tpm2"]

  /// The store of this designation.
  ///
  /// - Parameters:
  ///   - designation: `file`, `tpm2` or a `pkcs11:` URI (RFC 7512).
  ///   - newKeys: how a key made in the store `file` is protected.
  ///   - secrets: knows passphrases and PINs.
  ///   - remembersPIN: whether a token's PIN that was asked for is put into the Secret Service.
  /// - Throws: `KeyStoreError.badStore`, `TokenError.badURI`.
  public static func store(
    _ designation: String, newKeys: FileKeyStore.NewKeys, secrets: any SecretAsking, remembersPIN: Bool = false,
    path: String = defaultPath
  ) throws -> any KeyStore {
    switch designation {
    case "file": return FileKeyStore(path: path, newKeys: newKeys, secrets: secrets)
    case "tpm2":
      var newKeysHavePIN = false
      if case .passphrase = newKeys { newKeysHavePIN = true }
      return TPMKeyStore(path: path, newKeysHavePIN: newKeysHavePIN, secrets: secrets)
    case let uri where uri.hasPrefix("pkcs11:"):
      return try TokenKeyStore(uri: uri, secrets: secrets, remembersPIN: remembersPIN, path: path)
    default: throw KeyStoreError.badStore("There is no such kind of key store.")
    }
  }
}
