import TesseraKeys

/// Creates a key in an encrypted file of the folder, signs data and verifies the signature.
func signOnce(_ data: [UInt8], in folder: String) async throws -> Bool {
  let store = FileKeyStore(path: folder, newKeys: .secretServiceOrKeyFile, secrets: NonInteractive())
  let name = try KeyName("release")
  let key = try await store.generate(name, confirmation: .never, replacing: false)
  let signature = try await store.sign(data, with: name)
  return try key.publicKey.verify(signature, over: data)
}
