import TesseraCryptography
import TesseraDurableFiles

/// The random secrets that encrypt key files without a passphrase.
enum WrappingSecret {
  private static let length = 32

  /// The Secret Service attributes of a key's secret. They contain no name, so that a replacement has its own secret
  /// and the old key stays readable until it is replaced.
  static func attributes(_ file: KeyFile) -> [String: String] {
    ["xdg:schema": "org.tessera.KeyFile", "id": file.identifier.uuidString.lowercased()]
  }

  /// A new secret, as text: `openssl pkey` accepts the output of `secret-tool lookup` as passphrase.
  static func make() throws -> SecretBytes { try RandomBytes.makeSecretText(length) }

  /// The wrapping secret of machines without a Secret Service: a file of mode 0600 in the folder of the keys. It
  /// protects a copied key file, but not a copied folder.
  struct File: Sendable {
    let folder: String
    private var file: DurableFile { DurableFile(path: folder + "/wrapping-secret") }

    /// The secret; nil if the file does not exist.
    func read() throws -> SecretBytes? {
      guard let secret = try file.read(upTo: length * 2)?.content else { return nil }
      guard secret.count == length * 2 else {
        throw KeyStoreError.folder(path: folder, reason: "its wrapping secret is truncated")
      }
      return secret
    }

    /// The existing secret, or a new one. If another process creates one at the same time, both use the first.
    func readOrCreate() throws -> SecretBytes {
      if let secret = try read() { return secret }
      PrivateFolder(path: folder).removeLeftovers()
      let secret = try WrappingSecret.make()
      if try file.write(secret, replacing: false) { return secret }
      guard let other = try read() else {
        throw KeyStoreError.folder(path: folder, reason: "another process repeatedly deletes its wrapping secret")
      }
      return other
    }
  }
}
