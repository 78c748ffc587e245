import Cryptography
import DurableFiles

/// The random secrets under which key files are encrypted where nobody types a passphrase.
enum WrappingSecret {
  private static let length = 32

  /// What finds the secret of a key in the Secret Service. Not the name, so that a key that replaces another does not
  /// touch the other's secret before it stands.
  static func attributes(_ file: KeyFile) -> [String: String] {
    ["xdg:schema": "org.tessera.KeyFile", "id": file.identifier.uuidString.lowercased()]
  }

  /// As text, so that a person can open the file with `openssl pkey` and what `secret-tool lookup` prints.
  static func make() throws -> SecretBytes { try RandomBytes.makeSecretText(length) }

  /// The wrapping secret of machines that have no Secret Service: one file of mode 0600 in the folder of the keys. A
  /// copy of a single key is useless without it; whoever may read this folder has both.
  struct File: Sendable {
    let folder: String
    private var file: DurableFile { DurableFile(path: folder + "/wrapping-secret") }

    /// nil where there is none.
    func read() throws -> SecretBytes? {
      guard let secret = try file.read(upTo: length * 2)?.content else { return nil }
      guard secret.count == length * 2 else {
        throw KeyStoreError.folder(path: folder, reason: "its wrapping secret is shorter than it was made")
      }
      return secret
    }

    /// The one that is there, or a new one. Where another process is faster, its secret holds.
    func readOrMake() throws -> SecretBytes {
      if let secret = try read() { return secret }
      PrivateFolder(path: folder).removeLeftovers()
      let secret = try WrappingSecret.make()
      if try file.write(secret, replacing: false) { return secret }
      guard let other = try read() else {
        throw KeyStoreError.folder(path: folder, reason: "its wrapping secret comes and goes")
      }
      return other
    }
  }
}
