import TesseraCryptography
import TesseraDurableFiles

/// The confirmation policies of earlier versions, stored by `CKA_ID` of the key. They are read, so that they remain in
/// force, but no longer written: `ConfirmationPolicies` replaced them.
struct LegacyTokenPolicies {
  let folder: String

  /// The policy of a key; nil if it has none.
  ///
  /// - Throws: `KeyStoreError.folder`, `FolderError` if the policy is unreadable.
  func policy(of identifier: [UInt8]) throws -> ConfirmationPolicy? {
    guard !identifier.isEmpty else { return nil }
    let name = identifier.hexadecimal.lowercased()
    guard let content = try DurableFile(path: "\(folder)/\(name).confirm").read(upTo: 64)?.content else { return nil }
    let text = content.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    guard let policy = ConfirmationPolicy(rawValue: text) else {
      throw KeyStoreError.folder(path: folder, reason: "it contains an invalid policy")
    }
    return policy
  }
}
