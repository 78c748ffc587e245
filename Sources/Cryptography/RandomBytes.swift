internal import COpenSSL

/// Bytes of OpenSSL's random generator.
public enum RandomBytes {
  /// - Throws: `CryptographyError.openSSL` when the generator is not seeded.
  public static func make(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard RAND_bytes(&bytes, Int32(count)) == 1 else { throw CryptographyError.last("RAND_bytes") }
    return bytes
  }

  /// The same, for bytes that become a key.
  public static func makeSecret(_ count: Int) throws -> SecretBytes {
    try SecretBytes(count: count) { buffer in
      guard RAND_bytes(buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(count)) == 1 else {
        throw CryptographyError.last("RAND_bytes")
      }
    }
  }
}
