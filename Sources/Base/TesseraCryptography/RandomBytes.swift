internal import CTesseraOpenSSL

/// Random bytes from OpenSSL's generator.
package enum RandomBytes {
  /// - Throws: `CryptographyError.openSSL` when the generator is not seeded.
  package static func make(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard RAND_bytes(&bytes, Int32(count)) == 1 else { throw CryptographyError.last("RAND_bytes") }
    return bytes
  }

  /// Random bytes that become a key.
  package static func makeSecret(_ count: Int) throws -> SecretBytes {
    try SecretBytes(count: count) { buffer in
      guard RAND_bytes(buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(count)) == 1 else {
        throw CryptographyError.last("RAND_bytes")
      }
    }
  }

  /// Random bytes as lower-case hexadecimal text, for keys that users may have to copy or type.
  package static func makeSecretText(_ count: Int) throws -> SecretBytes {
    let random = try makeSecret(count)
    let digits = Array("0123456789abcdef".utf8)
    return SecretBytes(count: count * 2) { text in
      random.withUnsafeBytes { bytes in
        for (index, byte) in bytes.enumerated() {
          text[index * 2] = digits[Int(byte >> 4)]
          text[index * 2 + 1] = digits[Int(byte & 15)]
        }
      }
    }
  }
}
