import TesseraCore
import TesseraCryptography

/// The file `master-key` of a store, version 1: the identifier of the store, the location of its master key and a check
/// value for the key. Lines of text, each with a line end:
///
/// ```
/// Tessera-Storage-Key: 1
/// Store: 32 digits
/// Protection: secret-service, or key-file
/// Check: 64 digits
/// Key: 64 digits; only with key-file
/// ```
///
/// The file never changes after its creation.
struct MasterKeyFile: Sendable {
  static let largest = 1024

  let store: String
  let protection: EncryptedStore.Protection
  let check: String
  /// As text, from which the keys of the store are derived.
  let key: SecretBytes?

  var text: SecretBytes {
    let lines = zip(Self.labels, ["1", store, protection.rawValue, check]).map { "\($0)\($1)\n" }
    let header = Array(lines.joined().utf8)
    return key?.joined(after: header + Array(Self.labels[4].utf8), before: [UInt8(ascii: "\n")]) ?? SecretBytes(header)
  }

  init(store: String, protection: EncryptedStore.Protection, check: String, key: SecretBytes?) {
    self.store = store
    self.protection = protection
    self.check = check
    self.key = key
  }

  /// - Parameter path: the path of the file, for errors.
  /// - Throws: `StorageError.masterKeyDamaged`, `StorageError.unknownVersion`.
  init(_ text: SecretBytes, path: String) throws {
    self = try text.withUnsafeBytes { bytes in
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      /// The rest of a line after its label. The line of the key is not copied into a string.
      func line(_ index: Int) throws -> Slice<UnsafeRawBufferPointer> {
        let label = Self.labels[index]
        guard index < lines.count, lines[index].starts(with: label.utf8) else {
          throw StorageError.masterKeyDamaged(path: path, "the line \(label) is missing")
        }
        return lines[index].dropFirst(label.utf8.count)
      }
      func word(_ index: Int) throws -> String { String(decoding: try line(index), as: UTF8.self) }
      let version = try word(0)
      guard version == "1" else {
        guard let number = Int(version) else {
          throw StorageError.masterKeyDamaged(path: path, "its version is invalid")
        }
        throw StorageError.unknownVersion(file: path, number)
      }
      guard let protection = EncryptedStore.Protection(rawValue: try word(2)) else {
        throw StorageError.masterKeyDamaged(path: path, "its protection is invalid")
      }
      let key = protection == .keyFile ? SecretBytes(try line(4)) : nil
      guard lines.count == (key == nil ? 5 : 6), lines.last?.isEmpty == true else {
        throw StorageError.masterKeyDamaged(path: path, "it has the wrong number of lines")
      }
      return MasterKeyFile(store: try word(1), protection: protection, check: try word(3), key: key)
    }
  }

  private static let labels = ["Tessera-Storage-Key: ", "Store: ", "Protection: ", "Check: ", "Key: "]
}

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
