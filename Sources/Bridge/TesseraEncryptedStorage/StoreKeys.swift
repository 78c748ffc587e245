import TesseraCore
import TesseraCryptography

/// The keys of one store, derived from its master key: one encrypts entries, the other derives file names, so that
/// these do not reveal the owners.
struct StoreKeys: Sendable {
  private let sealing: SecretBytes
  private let naming: SecretBytes
  /// The check value of the master key, which reveals nothing else about it.
  let check: String

  /// - Parameter store: the random identifier of the store.
  init(master: SecretBytes, store: String) throws {
    func derived(_ purpose: String) throws -> SecretBytes {
      try HKDF.derive(
        master, salt: Array(store.utf8), info: Array("tessera storage, \(purpose)".utf8), count: AES256GCM.keyLength)
    }
    sealing = try derived("entries")
    naming = try derived("names")
    check = try derived("check").withUnsafeBytes { $0.hexadecimal.lowercased() }
  }

  /// The folder name of an owner: 64 hexadecimal digits.
  func identifier(of owner: Caller) throws -> String {
    try HMAC.code(of: Array("owner".utf8) + owner.encoded, key: naming).hexadecimal.lowercased()
  }

  /// The file name of an entry: 64 hexadecimal digits, derived from the collection, the owner and the name.
  func identifier(of name: EntryName) throws -> String {
    try HMAC.code(of: Array("entry".utf8) + name.encoded, key: naming).hexadecimal.lowercased()
  }

  /// The cipher of one entry. Each entry has its own key, so that random nonces cannot collide with those of other
  /// entries.
  func cipher(for identifier: String) throws -> AES256GCM {
    try AES256GCM(key: HKDF.derive(sealing, info: Array(identifier.utf8), count: AES256GCM.keyLength))
  }

  /// Whether a file name has the form of an identifier.
  static func isIdentifier(_ name: String) -> Bool {
    name.utf8.count == 64 && [UInt8](hexadecimal: name)?.hexadecimal.lowercased() == name
  }
}
