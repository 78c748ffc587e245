import Cryptography
import DurableFiles
import Foundation

/// The confirmation policies of token keys, which no attribute of PKCS#11 holds: one small file a key, named by the
/// key's `CKA_ID`.
struct TokenConfirmation {
  let folder: String

  /// `never` for a key that was not made here.
  ///
  /// - Throws: `KeyStoreError.folder`, `FolderError` where it cannot be told; no policy is taken for none.
  func policy(of identifier: [UInt8]) throws -> ConfirmationPolicy {
    guard let content = try file(identifier).read(upTo: 64)?.content else { return .never }
    let text = content.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    guard let policy = ConfirmationPolicy(rawValue: text) else {
      throw KeyStoreError.folder(path: folder, reason: "a policy in it is none")
    }
    return policy
  }

  /// To be set before the key exists, so that it never exists without.
  func set(_ policy: ConfirmationPolicy, of identifier: [UInt8]) throws {
    guard policy != .never else { return forget(identifier) }
    _ = try file(identifier).write(SecretBytes(Array(policy.rawValue.utf8)), replacing: true)
  }

  func forget(_ identifier: [UInt8]) { _ = try? file(identifier).remove() }

  private func file(_ identifier: [UInt8]) -> DurableFile {
    DurableFile(path: "\(folder)/\(identifier.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()).confirm")
  }
}
