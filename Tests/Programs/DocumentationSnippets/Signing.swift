import TesseraKeys

/// Creates a key, signs data and verifies the signature. The keyring has the secret that decrypts the key. Without a keyring
/// it is in a file of mode 0600 beside the key, which protects no more than this mode.
func signOnce(_ data: [UInt8], in folder: String) async throws -> Bool {
  let store = FileKeyStore(path: folder, newKeys: .secretServiceOrKeyFile, secrets: NonInteractive())
  let name = try KeyName("release")
  let key = try await store.generate(name, confirmation: .never, replacing: false)
  let signature = try await store.sign(data, with: name)
  return try key.publicKey.verify(signature, over: data)
}

/// Signs with a key of a token, for example `pkcs11:token=work`. Asks for the PIN with pinentry, on the desktop.
func signWithToken(_ data: [UInt8], _ uri: String) async throws -> [UInt8] {
  let store = try KeyStores.store(uri, secrets: Desktop())
  return try await store.sign(data, with: KeyName("release")).der
}

/// Asks for passphrases with a dialog of the program.
struct Dialog: SecretPrompting {
  /// Shows the label, and returns what the user typed; nil if nothing can be shown.
  let show: @Sendable (String) async throws -> [UInt8]?

  func ask(_ prompt: SecretPrompt, hint: String?) async throws -> SecretBytes? {
    try await show(prompt.prompt).map { SecretBytes($0) }
  }
}

/// The store of `tessera key`: without `path`, both have the same keys.
func keysOfShell(_ dialog: Dialog) -> FileKeyStore { FileKeyStore(secrets: dialog) }

/// Signs in DER, the form of `openssl dgst -sha256 -verify`. `raw` of the signature is r and s.
func signature(of data: [UInt8], with name: String, from store: FileKeyStore) async throws -> [UInt8] {
  try await store.sign(data, with: KeyName(name)).der
}

/// Stores a private key of another program: PKCS#8 or SEC 1, in PEM or DER.
///
/// - Parameter secrets: asks for the passphrase of an encrypted file.
func importKey(
  _ file: SecretBytes, as name: String, into store: FileKeyStore, _ secrets: any SecretPrompting
) async throws -> StoredKey {
  let key = try await ImportedKey.read(file, secrets)
  return try await store.import(key, as: KeyName(name), confirmation: .never, replacing: false)
}

/// Verifies a signature (DER, raw or base64) by a public key (PEM, DER, base64, point, JWK, SSH, or a certificate).
func isValid(_ signature: [UInt8], of data: [UInt8], by publicKey: [UInt8]) throws -> Bool {
  try PublicKeyFormat.decode(publicKey).verify(SignatureFormat.decode(signature), over: data)
}
