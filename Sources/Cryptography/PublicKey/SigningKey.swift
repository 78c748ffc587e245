internal import COpenSSL

/// A P-256 private key held in memory, for issuing specimen documents.
public final class SigningKey {
  let key: OpaquePointer

  /// - Parameter scalar: 32 bytes, big-endian, between 1 and the group order.
  /// - Throws: `CryptographyError` when the scalar is out of range.
  public init(p256Scalar scalar: SecretBytes) throws {
    guard scalar.count == 32 else { throw CryptographyError.malformed("P-256 scalar of \(scalar.count) bytes") }
    // ECPrivateKey of RFC 5915 without the public key, which OpenSSL then computes:
    // SEQUENCE { INTEGER 1, OCTET STRING scalar, [0] OBJECT IDENTIFIER prime256v1 }
    let head: [UInt8] = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20]
    let tail: [UInt8] = [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    let der = SecretBytes(count: head.count + 32 + tail.count) { buffer in
      buffer.copyBytes(from: head)
      scalar.withUnsafeBytes { source in
        UnsafeMutableRawBufferPointer(rebasing: buffer[head.count...]).copyMemory(from: source)
      }
      UnsafeMutableRawBufferPointer(rebasing: buffer[(head.count + 32)...]).copyBytes(from: tail)
    }
    key = try der.withUnsafeBytes { bytes in
      var cursor = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      guard let key = d2i_PrivateKey(EVP_PKEY_EC, nil, &cursor, bytes.count) else {
        throw CryptographyError.last("decoding an EC private key")
      }
      return key
    }
  }

  deinit { EVP_PKEY_free(key) }
}
