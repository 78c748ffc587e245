import Cryptography
import DurableFiles

/// The confirmation policies that keys in tokens had by their `CKA_ID` before policies belonged to names
/// (`ConfirmationPolicies`). They are read, so that a key that asked a person goes on asking, and not written any more.
struct EarlierTokenPolicies {
  let folder: String

  /// nil where there is none.
  ///
  /// - Throws: `KeyStoreError.folder`, `FolderError` where it cannot be told; no policy is taken for none.
  func policy(of identifier: [UInt8]) throws -> ConfirmationPolicy? {
    let name = identifier.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    guard let content = try DurableFile(path: "\(folder)/\(name).confirm").read(upTo: 64)?.content else { return nil }
    let text = content.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    guard let policy = ConfirmationPolicy(rawValue: text) else {
      throw KeyStoreError.folder(path: folder, reason: "a policy in it is none")
    }
    return policy
  }
}
