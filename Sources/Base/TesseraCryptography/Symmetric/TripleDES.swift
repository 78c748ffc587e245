internal import CTesseraOpenSSL

/// Two-key 3DES in CBC mode with a zero initialisation vector and no padding, as used by secure messaging, Basic Access
/// Control and PACE (Doc 9303-11, 9.8.6.1). The key schedule is computed once.
package final class TripleDES {
  package static let blockSize = 8
  @usableFromInline static let zeroVector = [UInt8](repeating: 0, count: blockSize)
  @usableFromInline let cipher: CBCCipher

  /// - Parameter key: 16 bytes.
  /// - Throws: `CryptographyError` when the key has another length or OpenSSL was built without DES.
  package init(key: SecretBytes) throws {
    guard key.count == 16 else { throw CryptographyError.malformed("3DES key of \(key.count) bytes") }
    cipher = try CBCCipher(EVP_des_ede_cbc(), key: key, blockSize: Self.blockSize, name: "3DES")
  }

  /// - Parameter blocks: a multiple of 8 bytes.
  @inlinable
  package func encrypt(_ blocks: some Collection<UInt8>) throws -> [UInt8] {
    try blocks.withBytes { try cipher.encrypt($0, Self.zeroVector) }
  }

  /// - Parameter blocks: a multiple of 8 bytes.
  @inlinable
  package func decrypt(_ blocks: some Collection<UInt8>) throws -> [UInt8] {
    try blocks.withBytes { try cipher.decrypt($0, Self.zeroVector) }
  }

  /// Decrypts key material without leaving a copy of it.
  package func decryptSecret(_ blocks: some Collection<UInt8>) throws -> SecretBytes {
    try cipher.decryptSecret(blocks, Self.zeroVector)
  }

  /// Encrypts a secret; the result is a secret as well.
  package func encryptSecret(_ blocks: SecretBytes) throws -> SecretBytes {
    try cipher.encryptSecret(blocks, Self.zeroVector)
  }
}
