import Tessera

/// Creates a key in an encrypted file of the folder, signs a SHA-256 digest and verifies the signature.
func signOnce(digest: [UInt8], in folder: String) async throws -> Bool {
  let store = FileKeyStore(path: folder, newKeys: .secretServiceOrKeyFile, secrets: NonInteractive())
  let name = try KeyName("release")
  let key = try await store.generate(name, confirmation: .never, replacing: false)
  let signature = try await store.sign(digest: digest, with: name)
  return try key.publicKey.verify(signature, digest: digest)
}
