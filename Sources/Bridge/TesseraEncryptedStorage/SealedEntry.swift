import TesseraCryptography

/// The file of an entry, version 1:
///
/// | bytes | |
/// | --- | --- |
/// | 15 | `Tessera-Storage` |
/// | 1 | the version, 1 |
/// | 12 | the nonce, random for every write |
/// | n | ciphertext of AES-256-GCM: the encoded `EntryName`, then the value |
/// | 16 | its tag |
///
/// The associated data is the first 16 bytes and the file name, which is a keyed hash of collection, owner and entry
/// name. Thus decryption fails for a modified file, and for one under another name or in another folder. It succeeds
/// for an older version of the same entry.
///
/// The name can be decrypted without the value; the file name authenticates it.
enum SealedEntry {
  private static let mark = Array("Tessera-Storage".utf8)
  private static let version: UInt8 = 1
  private static let headLength = 16 + AES256GCM.nonceLength

  /// The maximum size of a file without its value.
  static let overhead = headLength + 64 + 2 * EntryName.longest + AES256GCM.tagLength

  static func seal(_ value: SecretBytes, as name: EntryName, _ identifier: String, _ keys: StoreKeys) throws -> [UInt8]
  {
    try seal(plaintext: value.joined(after: name.encoded, before: []), identifier, keys)
  }

  static func seal(plaintext: SecretBytes, _ identifier: String, _ keys: StoreKeys) throws -> [UInt8] {
    let head = mark + [version]
    let nonce = try RandomBytes.make(AES256GCM.nonceLength)
    let sealed = try keys.cipher(for: identifier).seal(
      plaintext, nonce: nonce, authenticating: head + Array(identifier.utf8))
    return head + nonce + sealed
  }

  /// The number of bytes at the beginning that contain a short name, and any name.
  static let usualBeginning = 512
  static let longestBeginning = headLength + 64 + 2 * EntryName.longest

  /// Decrypts the name from the beginning of a file, without authenticating the value.
  ///
  /// - Returns: nil if the name is longer than `beginning`.
  /// - Throws: `StorageError.damaged`, `StorageError.unknownVersion`.
  static func name(
    _ beginning: SecretBytes, ofBytes size: Int, _ identifier: String, _ keys: StoreKeys
  ) throws -> EntryName? {
    try beginning.withUnsafeBytes { file in
      try checkHead(file, size, identifier)
      let ciphertext = file[headLength..<min(file.count, size - AES256GCM.tagLength)]
      let plaintext = try keys.cipher(for: identifier).beginning(
        UnsafeRawBufferPointer(rebasing: ciphertext), nonce: Array(file[16..<headLength]))
      let name = plaintext.withUnsafeBytes(EntryName.init(decoding:))
      if name == nil, file.count < min(size, longestBeginning) { return nil }
      guard let name, try keys.identifier(of: name) == identifier else {
        throw StorageError.damaged(file: identifier, "it was modified, or belongs to another entry")
      }
      return name
    }
  }

  private static func checkHead(_ file: UnsafeRawBufferPointer, _ size: Int, _ identifier: String) throws {
    guard file.count >= headLength, size >= headLength + AES256GCM.tagLength, file.starts(with: mark) else {
      throw StorageError.damaged(file: identifier, "it is not an entry")
    }
    guard file[mark.count] == version else {
      throw StorageError.unknownVersion(file: identifier, Int(file[mark.count]))
    }
  }

  /// Decrypts an entry.
  ///
  /// - Parameter identifier: the file name.
  /// - Throws: `StorageError.damaged`, `StorageError.unknownVersion`.
  static func open(
    _ file: SecretBytes, _ identifier: String, _ keys: StoreKeys
  ) throws -> (name: EntryName, value: SecretBytes) {
    try file.withUnsafeBytes { file in
      try checkHead(file, file.count, identifier)
      let nonce = Array(file[16..<headLength])
      let plaintext: SecretBytes
      do {
        plaintext = try keys.cipher(for: identifier).open(
          UnsafeRawBufferPointer(rebasing: file[headLength...]), nonce: nonce,
          authenticating: Array(file[..<16]) + Array(identifier.utf8))
      } catch let error as CryptographyError {
        guard error == .notAuthentic else { throw error }
        throw StorageError.damaged(file: identifier, "it was modified, or belongs to another entry")
      }
      return try plaintext.withUnsafeBytes { bytes in
        guard let name = EntryName(decoding: bytes), try keys.identifier(of: name) == identifier else {
          throw StorageError.damaged(file: identifier, "its name does not match")
        }
        let value = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(name.encoded.count))
        return (name, SecretBytes(count: value.count) { $0.copyMemory(from: value) })
      }
    }
  }
}
