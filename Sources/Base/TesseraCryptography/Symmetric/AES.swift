internal import CTesseraOpenSSL

/// AES in CBC mode without padding, with keys of 128, 192 or 256 bits, as used by secure messaging and PACE (Doc
/// 9303-11, 9.8.6.2). The key schedule is computed once.
package final class AES {
  package static let blockSize = 16
  /// The initialisation vector of PACE. With it, encrypting a single block equals the bare cipher.
  package static let zeroVector = [UInt8](repeating: 0, count: blockSize)
  @usableFromInline let cipher: CBCCipher

  /// - Parameter key: 16, 24 or 32 bytes.
  /// - Throws: `CryptographyError.malformed` when it has another length.
  package init(key: SecretBytes) throws { cipher = try Self.cipher(key: key, name: "AES") }

  /// - Parameter name: used in error messages.
  static func cipher(key: SecretBytes, name: String) throws -> CBCCipher {
    let algorithm: OpaquePointer?
    switch key.count {
    case 16: algorithm = EVP_aes_128_cbc()
    case 24: algorithm = EVP_aes_192_cbc()
    case 32: algorithm = EVP_aes_256_cbc()
    default: throw CryptographyError.malformed("\(name) key of \(key.count) bytes")
    }
    return try CBCCipher(algorithm, key: key, blockSize: blockSize, name: name)
  }

  /// - Parameters:
  ///   - blocks: a multiple of 16 bytes.
  ///   - vector: 16 bytes.
  @inlinable
  package func encrypt(_ blocks: some Collection<UInt8>, initialisationVector vector: [UInt8]) throws -> [UInt8] {
    try blocks.withBytes { try cipher.encrypt($0, vector) }
  }

  /// - Parameters:
  ///   - blocks: a multiple of 16 bytes.
  ///   - vector: 16 bytes.
  @inlinable
  package func decrypt(_ blocks: some Collection<UInt8>, initialisationVector vector: [UInt8]) throws -> [UInt8] {
    try blocks.withBytes { try cipher.decrypt($0, vector) }
  }

  /// Decrypts key material without leaving a copy of it.
  package func decryptSecret(
    _ blocks: some Collection<UInt8>, initialisationVector vector: [UInt8]
  ) throws -> SecretBytes {
    try cipher.decryptSecret(blocks, vector)
  }

  /// Encrypts a secret; the result is a secret as well.
  package func encryptSecret(_ blocks: SecretBytes, initialisationVector vector: [UInt8]) throws -> SecretBytes {
    try cipher.encryptSecret(blocks, vector)
  }
}
