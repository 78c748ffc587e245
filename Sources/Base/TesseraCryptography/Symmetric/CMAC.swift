/// AES-CMAC (NIST SP 800-38B). Doc 9303 uses its first eight bytes.
///
/// Built on AES-CBC with one key schedule. OpenSSL's CMAC needs the key again for every message (older versions do not
/// restart without it), which takes longer than the MAC of a command.
package final class CMAC {
  /// Length of the whole MAC in bytes.
  package static let length = 16
  private let cipher: CBCCipher
  /// The subkey `K1`, for messages of whole blocks.
  private let wholeKey: SecretBytes
  /// The subkey `K2`, for messages that are padded.
  private let paddedKey: SecretBytes

  /// - Parameter key: 16, 24 or 32 bytes.
  /// - Throws: `CryptographyError.malformed` when it has another length.
  package init(key: SecretBytes) throws {
    cipher = try AES.cipher(key: key, name: "AES-CMAC")
    let zero = SecretBytes(count: AES.blockSize) { _ in }
    wholeKey = Self.doubled(try cipher.encryptSecret(zero, AES.zeroVector))
    paddedKey = Self.doubled(wholeKey)
  }

  /// The block shifted left by one bit and, if a bit is shifted out, reduced by the field polynomial (SP 800-38B, 6.1),
  /// in constant time.
  private static func doubled(_ block: SecretBytes) -> SecretBytes {
    SecretBytes(count: AES.blockSize) { result in
      block.withUnsafeBytes { bytes in
        for index in 0..<AES.blockSize {
          let next = index + 1 < AES.blockSize ? bytes[index + 1] >> 7 : 0
          result[index] = bytes[index] << 1 | next
        }
        result[AES.blockSize - 1] ^= (0 &- (bytes[0] >> 7)) & 0x87
      }
    }
  }

  /// The 16-byte MAC of `message`.
  @inlinable
  package func mac(_ message: some Collection<UInt8>) throws -> [UInt8] { try message.withBytes { try mac($0) } }

  @usableFromInline
  func mac(_ message: UnsafeRawBufferPointer) throws -> [UInt8] {
    var blocks: [UInt8] = []
    blocks.reserveCapacity(message.count + AES.blockSize)
    blocks += message
    let isWhole = !blocks.isEmpty && blocks.count.isMultiple(of: AES.blockSize)
    if !isWhole { Padding.append(to: &blocks, blockSize: AES.blockSize) }
    let last = blocks.count - AES.blockSize
    (isWhole ? wholeKey : paddedKey).withUnsafeBytes { key in
      for index in 0..<AES.blockSize { blocks[last + index] ^= key[index] }
    }
    try cipher.encrypt(&blocks, AES.zeroVector)
    return Array(blocks[last...])
  }
}
