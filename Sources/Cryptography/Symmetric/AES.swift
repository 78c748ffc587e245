internal import COpenSSL

/// AES in CBC mode without padding, with 128, 192 or 256 bits of key, as secure messaging and PACE use it (Doc
/// 9303-11, 9.8.6.2). The key schedule is made once.
public final class AES {
  public static let blockSize = 16
  /// The initialisation vector of PACE; a single block under it is what the bare cipher gives.
  public static let zeroVector = [UInt8](repeating: 0, count: blockSize)
  @usableFromInline let cipher: CBCCipher

  /// - Parameter key: 16, 24 or 32 bytes.
  /// - Throws: `CryptographyError.malformed` when it has another length.
  public init(key: SecretBytes) throws { cipher = try Self.cipher(key: key, name: "AES") }

  /// - Parameter name: for errors.
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
  public func encrypt(_ blocks: some Collection<UInt8>, initialisationVector vector: [UInt8]) throws -> [UInt8] {
    try blocks.withBytes { try cipher.encrypt($0, vector) }
  }

  /// - Parameters:
  ///   - blocks: a multiple of 16 bytes.
  ///   - vector: 16 bytes.
  @inlinable
  public func decrypt(_ blocks: some Collection<UInt8>, initialisationVector vector: [UInt8]) throws -> [UInt8] {
    try blocks.withBytes { try cipher.decrypt($0, vector) }
  }

  /// The same for a plaintext that is key material: no copy of it is left behind.
  public func decryptSecret(
    _ blocks: some Collection<UInt8>, initialisationVector vector: [UInt8]
  ) throws -> SecretBytes {
    try cipher.decryptSecret(blocks, vector)
  }

  /// The same for secrets on both sides.
  public func encryptSecret(_ blocks: SecretBytes, initialisationVector vector: [UInt8]) throws -> SecretBytes {
    try cipher.encryptSecret(blocks, vector)
  }
}
