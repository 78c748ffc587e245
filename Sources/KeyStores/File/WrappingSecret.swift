import Cryptography
import Foundation
import SecretService

/// The random secrets under which key files are encrypted where nobody types a passphrase.
enum WrappingSecret {
  static let length = 32

  /// What finds the secret of a key in the Secret Service. Not the name, so that a key that replaces another does not
  /// touch the other's secret before it stands.
  static func attributes(_ file: KeyFile) -> [String: String] {
    ["xdg:schema": "org.tessera.KeyFile", "id": file.identifier.uuidString.lowercased()]
  }

  /// As text, so that a person can open the file with `openssl pkey` and what `secret-tool lookup` prints.
  static func make() throws -> SecretBytes {
    let random = try RandomBytes.makeSecret(length)
    let digits = Array("0123456789abcdef".utf8)
    return SecretBytes(count: length * 2) { text in
      random.withUnsafeBytes { bytes in
        for (index, byte) in bytes.enumerated() {
          text[index * 2] = digits[Int(byte >> 4)]
          text[index * 2 + 1] = digits[Int(byte & 15)]
        }
      }
    }
  }
}

/// The wrapping secret of machines that have no Secret Service: one file of mode 0600 in the folder of the keys. A
/// copy of a single key is useless without it; whoever may read this folder has both.
struct WrappingSecretFile: Sendable {
  let folder: String
  private var path: String { folder + "/wrapping-secret" }

  /// nil where there is none.
  func read() throws -> SecretBytes? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw failed() }
      return nil
    }
    defer { close(descriptor) }
    let length = WrappingSecret.length * 2
    return try SecretBytes(count: length) { buffer in
      guard Glibc.read(descriptor, buffer.baseAddress, length) == length else {
        throw KeyStoreError.folder(path: path, reason: "it is shorter than it was made")
      }
    }
  }

  /// The one that is there, or a new one.
  func readOrMake() throws -> SecretBytes {
    if let secret = try read() { return secret }
    try KeyFolder.make(folder)
    let secret = try WrappingSecret.make()
    let temporary = path + "." + UUID().uuidString
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failed() }
    defer { unlink(temporary) }
    do {
      defer { close(descriptor) }
      try secret.withUnsafeBytes { bytes in
        guard write(descriptor, bytes.baseAddress, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
          throw failed()
        }
      }
    }
    // Another process may have been faster: its secret holds.
    if link(temporary, path) != 0 {
      guard errno == EEXIST, let other = try read() else { throw failed() }
      return other
    }
    return secret
  }

  private func failed() -> KeyStoreError {
    .folder(path: folder, reason: String(cString: strerror(errno)).lowercased())
  }
}
