import Foundation

/// The confirmation policies of token keys, which no attribute of PKCS#11 holds: one small file a key, named by the
/// key's `CKA_ID`.
struct TokenConfirmation {
  let folder: String

  /// `never` for a key that was not made here.
  func policy(of identifier: [UInt8]) -> ConfirmationPolicy {
    guard let data = FileManager.default.contents(atPath: path(identifier)),
      let policy = ConfirmationPolicy(rawValue: String(decoding: data, as: UTF8.self))
    else { return .never }
    return policy
  }

  /// To be set before the key exists, so that it never exists without.
  func set(_ policy: ConfirmationPolicy, of identifier: [UInt8]) throws {
    guard policy != .never else { return }
    try KeyFolder.make(folder)
    do {
      try Data(policy.rawValue.utf8).write(to: URL(fileURLWithPath: path(identifier)), options: .atomic)
    } catch {
      throw KeyStoreError.folder(path: folder, reason: "it cannot be written")
    }
  }

  func forget(_ identifier: [UInt8]) { try? FileManager.default.removeItem(atPath: path(identifier)) }

  private func path(_ identifier: [UInt8]) -> String {
    "\(folder)/\(identifier.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()).confirm"
  }
}
