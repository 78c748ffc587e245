import Cryptography

/// The file `master-key` in the folder of a store, version 1: which store this is, where its master key is kept, and how
/// to tell that a key is the right one. Lines of text, each with its end:
///
/// ```
/// Tessera-Storage-Key: 1
/// Store: 32 digits
/// Protection: secret-service, or key-file
/// Check: 64 digits
/// Key: 64 digits; only with key-file
/// ```
///
/// Once it is there it is never changed.
struct MasterKeyFile: Sendable {
  static let largest = 1024

  let store: String
  let protection: EncryptedStore.Protection
  let check: String
  /// As text, which is what the store's keys are derived from.
  let key: SecretBytes?

  var text: SecretBytes {
    let facts = Array(
      "\(Self.marks[0])1\n\(Self.marks[1])\(store)\n\(Self.marks[2])\(protection.rawValue)\n\(Self.marks[3])\(check)\n"
        .utf8)
    return key?.joined(after: facts + Array(Self.marks[4].utf8), before: [UInt8(ascii: "\n")]) ?? SecretBytes(facts)
  }

  init(store: String, protection: EncryptedStore.Protection, check: String, key: SecretBytes?) {
    self.store = store
    self.protection = protection
    self.check = check
    self.key = key
  }

  /// - Parameter path: where it was read, for errors.
  /// - Throws: `StorageError.masterKeyDamaged`, `StorageError.unknownVersion`.
  init(_ text: SecretBytes, path: String) throws {
    self = try text.withUnsafeBytes { bytes in
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      /// What stands in a line after its mark. The line of the key is not made a string.
      func line(_ index: Int) throws -> Slice<UnsafeRawBufferPointer> {
        let mark = Self.marks[index]
        guard index < lines.count, lines[index].starts(with: mark.utf8) else {
          throw StorageError.masterKeyDamaged(path: path, "it has no line \(mark)")
        }
        return lines[index].dropFirst(mark.utf8.count)
      }
      func word(_ index: Int) throws -> String { String(decoding: try line(index), as: UTF8.self) }
      let version = try word(0)
      guard version == "1" else {
        guard let number = Int(version) else {
          throw StorageError.masterKeyDamaged(path: path, "it tells no version")
        }
        throw StorageError.unknownVersion(file: path, number)
      }
      guard let protection = EncryptedStore.Protection(rawValue: try word(2)) else {
        throw StorageError.masterKeyDamaged(path: path, "its protection is none")
      }
      let key = protection == .keyFile ? SecretBytes(try line(4)) : nil
      guard lines.count == (key == nil ? 5 : 6), lines.last?.isEmpty == true else {
        throw StorageError.masterKeyDamaged(path: path, "it has other lines, or fewer")
      }
      return MasterKeyFile(store: try word(1), protection: protection, check: try word(3), key: key)
    }
  }

  private static let marks = ["Tessera-Storage-Key: ", "Store: ", "Protection: ", "Check: ", "Key: "]
}
