import Cryptography

/// The keys of one store, all derived from its master key: one that seals entries, and one that makes the names of their
/// files, so that these tell nobody which origins keep what.
struct StoreKeys: Sendable {
  private let sealing: SecretBytes
  private let naming: SecretBytes
  /// Tells whether a master key is this store's, and nothing else of it.
  let check: String

  /// - Parameter store: the store's own random identifier.
  init(master: SecretBytes, store: String) throws {
    func derived(_ purpose: String) throws -> SecretBytes {
      try HKDF.derive(
        master, salt: Array(store.utf8), info: Array("tessera storage, \(purpose)".utf8), count: AES256GCM.keyLength)
    }
    sealing = try derived("entries")
    naming = try derived("names")
    check = Self.hexadecimal(try derived("check").withUnsafeBytes { Array($0) })
  }

  /// The name of an owner's folder: 64 digits.
  func identifier(of owner: EntryOwner) throws -> String {
    Self.hexadecimal(try HMAC.code(of: Array("owner".utf8) + owner.encoded, key: naming))
  }

  /// The name of an entry's file: 64 digits. It stands for the collection, the owner and the name.
  func identifier(of name: EntryName) throws -> String {
    Self.hexadecimal(try HMAC.code(of: Array("entry".utf8) + name.encoded, key: naming))
  }

  /// Every entry has a key of its own, so that random nonces do not run out, however often the store is written.
  func cipher(for identifier: String) throws -> AES256GCM {
    try AES256GCM(key: HKDF.derive(sealing, info: Array(identifier.utf8), count: AES256GCM.keyLength))
  }

  private static let digits = Array("0123456789abcdef".utf8)

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Whether a file's name is one of ours.
  static func isIdentifier(_ name: String) -> Bool { name.utf8.count == 64 && name.utf8.allSatisfy(digits.contains) }
}
