// Makes a P-256 key, signs a text with it and verifies the signature.
//
//   swift run ExampleSign [TEXT]
import Foundation
import TesseraKeys

/// The store encrypts its keys with a secret of the keyring, or else of a file beside them. Programs of the user leave
/// out `path`: then `tessera key` has the same keys. This example leaves nothing behind.
func sign(_ text: String, in folder: String) async throws {
  let store = FileKeyStore(path: folder, newKeys: .secretServiceOrKeyFile, secrets: NonInteractive())
  let name = try KeyName("example")
  let key = try await store.generate(name, confirmation: .never, replacing: false).publicKey

  // ECDSA over SHA-256: `openssl dgst -sha256 -verify` accepts it.
  let signature = try await store.sign(text.utf8, with: name)
  let isValid = try key.verify(signature, over: text.utf8)
  print("Signed \(text.utf8.count) bytes; the signature is \(isValid ? "valid" : "wrong").")
  print(String(decoding: try SignatureFormat.base64.encode(signature), as: UTF8.self), terminator: "")
  print(String(decoding: PublicKeyFormat.pem.encode(key), as: UTF8.self), terminator: "")

  try await store.delete(name)
}

let folder = FileManager.default.temporaryDirectory.appending(path: "tessera-example-\(UUID())").path
var status = EXIT_SUCCESS
do {
  try await sign(CommandLine.arguments.dropFirst().first ?? "Hello", in: folder)
} catch {
  let failure = Failure(error)
  print(failure.cause, failure.remedy ?? "")
  status = EXIT_FAILURE
}
try? FileManager.default.removeItem(atPath: folder)
exit(status)
