internal import COpenSSL

/// HMAC of RFC 2104: a hash that only who has the key can make.
public enum HMAC {
  /// - Parameter key: any length; as long as the digest is what it should have.
  /// - Returns: as many bytes as the digest has.
  public static func code(
    of bytes: [UInt8], key: SecretBytes, hash: HashAlgorithm = .sha256
  ) throws -> [UInt8] {
    guard let keyLength = Int32(exactly: key.count) else {
      throw CryptographyError.malformed("HMAC key of \(key.count) bytes")
    }
    var code = [UInt8](repeating: 0, count: hash.digestLength)
    let made = key.withUnsafeBytes { key in
      COpenSSL.HMAC(hash.evp, key.baseAddress, keyLength, bytes, bytes.count, &code, nil) != nil
    }
    guard made else { throw CryptographyError.last("HMAC") }
    return code
  }
}
