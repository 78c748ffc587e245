internal import CTesseraOpenSSL

/// HMAC (RFC 2104).
package enum HMAC {
  /// - Parameter key: any length; RFC 2104 recommends the length of the digest.
  /// - Returns: as many bytes as the digest has.
  package static func code(
    of bytes: [UInt8], key: SecretBytes, hash: HashAlgorithm = .sha256
  ) throws -> [UInt8] {
    guard let keyLength = Int32(exactly: key.count) else {
      throw CryptographyError.malformed("HMAC key of \(key.count) bytes")
    }
    var code = [UInt8](repeating: 0, count: hash.digestLength)
    let made = key.withUnsafeBytes { key in
      CTesseraOpenSSL.HMAC(hash.evp, key.baseAddress, keyLength, bytes, bytes.count, &code, nil) != nil
    }
    guard made else { throw CryptographyError.last("HMAC") }
    return code
  }
}
