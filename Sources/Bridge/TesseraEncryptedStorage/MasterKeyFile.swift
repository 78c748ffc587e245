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
