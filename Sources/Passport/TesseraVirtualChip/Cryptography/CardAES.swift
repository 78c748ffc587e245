internal import CTesseraOpenSSL
import TesseraCryptography

/// AES in CBC mode without padding, and its CMAC, with keys of 16, 24 or 32 bytes.
final class CardAES {
  static let blockSize = 16
  private let encryption: OpaquePointer
  private let decryption: OpaquePointer

  init(key: SecretBytes) throws {
    let encryption = try Self.context(key, encrypt: true)
    self.encryption = encryption
    do {
      decryption = try Self.context(key, encrypt: false)
    } catch {
      EVP_CIPHER_CTX_free(encryption)
      throw error
    }
  }

  deinit {
    EVP_CIPHER_CTX_free(encryption)
    EVP_CIPHER_CTX_free(decryption)
  }

  private static func context(_ key: SecretBytes, encrypt: Bool) throws -> OpaquePointer {
    let ciphers: [Int: OpaquePointer?] = [16: EVP_aes_128_cbc(), 24: EVP_aes_192_cbc(), 32: EVP_aes_256_cbc()]
    guard let cipher = ciphers[key.count] ?? nil else {
      throw CryptographyError.malformed("AES key of \(key.count) bytes")
    }
    guard let context = EVP_CIPHER_CTX_new() else { throw CryptographyError.openSSL("EVP_CIPHER_CTX_new") }
    let isReady = key.withUnsafeBytes { bytes in
      EVP_CipherInit_ex(
        context, cipher, nil, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, encrypt ? 1 : 0) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
    }
    guard isReady else {
      EVP_CIPHER_CTX_free(context)
      throw CryptographyError.openSSL("EVP_CipherInit_ex")
    }
    return context
  }

  /// - Parameter vector: 16 bytes; zeros if nil.
  func encrypt(_ blocks: some Collection<UInt8>, vector: [UInt8]? = nil) throws -> [UInt8] {
    try run(encryption, Array(blocks), vector)
  }

  func decrypt(_ blocks: some Collection<UInt8>, vector: [UInt8]? = nil) throws -> [UInt8] {
    try run(decryption, Array(blocks), vector)
  }

  private func run(_ context: OpaquePointer, _ blocks: [UInt8], _ vector: [UInt8]?) throws -> [UInt8] {
    let vector = vector ?? [UInt8](repeating: 0, count: Self.blockSize)
    guard blocks.count.isMultiple(of: Self.blockSize), vector.count == Self.blockSize else {
      throw CryptographyError.malformed("AES input is not a whole number of blocks")
    }
    guard !blocks.isEmpty else { return [] }
    var output = [UInt8](repeating: 0, count: blocks.count)
    var length: Int32 = 0
    guard EVP_CipherInit_ex(context, nil, nil, nil, vector, -1) == 1,
      EVP_CipherUpdate(context, &output, &length, blocks, Int32(blocks.count)) == 1, Int(length) == blocks.count
    else { throw CryptographyError.openSSL("EVP_CipherUpdate") }
    return output
  }

  /// CMAC of NIST SP 800-38B, not truncated: 16 bytes.
  func cmac(_ message: some Collection<UInt8>) throws -> [UInt8] {
    var input = Array(message)
    var subkey = Self.doubled(try encrypt([UInt8](repeating: 0, count: Self.blockSize)))
    if input.isEmpty || !input.count.isMultiple(of: Self.blockSize) {
      subkey = Self.doubled(subkey)
      Padding.append(to: &input, blockSize: Self.blockSize)
    }
    for (index, byte) in subkey.enumerated() { input[input.count - Self.blockSize + index] ^= byte }
    return Array(try encrypt(input).suffix(Self.blockSize))
  }

  /// Multiplication by x in GF(2¹²⁸).
  private static func doubled(_ block: [UInt8]) -> [UInt8] {
    var result = block
    var carry: UInt8 = 0
    for index in result.indices.reversed() {
      let byte = result[index]
      result[index] = byte << 1 | carry
      carry = byte >> 7
    }
    if carry == 1, !result.isEmpty { result[result.count - 1] ^= 0x87 }
    return result
  }
}
