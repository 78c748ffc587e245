internal import CTesseraOpenSSL

/// The two unencrypted encodings of a private key: PKCS#8 (RFC 5958) and SEC 1 (RFC 5915).
extension SigningKey {
  private static let ellipticCurveKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
  private static let prime256v1: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

  /// Reads `PrivateKeyInfo` (DER).
  ///
  /// - Throws: `CryptographyError` if it is malformed, or for another kind of key or another curve.
  package convenience init(pkcs8: SecretBytes) throws {
    try self.init(
      p256Scalar: pkcs8.withUnsafeBytes { bytes in
        var outer = SecretDER(bytes)
        var fields = SecretDER(try outer.value(0x30, "PKCS#8 private key"))
        guard outer.isAtEnd, try [[0], [1]].contains(Array(fields.value(0x02, "version of a PKCS#8 private key")))
        else {
          throw CryptographyError.malformed("PKCS#8 private key")
        }
        var algorithm = SecretDER(try fields.value(0x30, "algorithm of a PKCS#8 private key"))
        guard try algorithm.value(0x06, "algorithm of a PKCS#8 private key").elementsEqual(Self.ellipticCurveKey) else {
          throw CryptographyError.unsupported("a private key that is not elliptic-curve")
        }
        try Self.checkCurve(&algorithm)
        let key = try fields.value(0x04, "content of a PKCS#8 private key")
        return try Self.scalar(ofSEC1: key, hasCurve: true)
      })
  }

  /// Reads `ECPrivateKey` (DER).
  ///
  /// - Throws: `CryptographyError` if it is malformed, names another curve, or names none.
  package convenience init(sec1: SecretBytes) throws {
    try self.init(p256Scalar: sec1.withUnsafeBytes { try Self.scalar(ofSEC1: $0, hasCurve: false) })
  }

  /// `PrivateKeyInfo` in DER including the public key, as OpenSSL writes it.
  package var pkcs8: SecretBytes {
    get throws {
      let head: [UInt8] =
        [0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07] + Self.ellipticCurveKey + [0x06, 0x08]
        + Self.prime256v1 + [0x04, 0x6D, 0x30, 0x6B, 0x02, 0x01, 0x01, 0x04, 0x20]
      return try scalar.joined(after: head, before: [0xA1, 0x44, 0x03, 0x42, 0x00] + publicKey.point)
    }
  }

  /// - Parameter hasCurve: whether the curve is stated elsewhere; the key may state it as well.
  private static func scalar(ofSEC1 bytes: UnsafeRawBufferPointer, hasCurve: Bool) throws -> SecretBytes {
    var outer = SecretDER(bytes)
    var fields = SecretDER(try outer.value(0x30, "EC private key"))
    guard outer.isAtEnd, try fields.value(0x02, "version of an EC private key").elementsEqual([1]) else {
      throw CryptographyError.malformed("version of an EC private key")
    }
    let octets = try fields.value(0x04, "content of an EC private key")
    var hasCurve = hasCurve
    if fields.nextTag == 0xA0 {
      var parameters = SecretDER(try fields.value(0xA0, "curve of an EC private key"))
      try checkCurve(&parameters)
      hasCurve = true
    }
    guard hasCurve else { throw CryptographyError.unsupported("an EC private key that does not name its curve") }
    // Some writers omit leading zeros, and some add one, as for an INTEGER (mbedTLS, issue 1028).
    let more = max(0, octets.count - 32)
    guard octets.prefix(more).allSatisfy({ $0 == 0 }) else {
      throw CryptographyError.malformed("content of an EC private key")
    }
    let digits = UnsafeRawBufferPointer(rebasing: octets.dropFirst(more))
    guard (1...32).contains(digits.count) else { throw CryptographyError.malformed("content of an EC private key") }
    return SecretBytes(count: 32) { scalar in
      UnsafeMutableRawBufferPointer(rebasing: scalar[(32 - digits.count)...]).copyMemory(from: digits)
    }
  }

  private static func checkCurve(_ parameters: inout SecretDER) throws {
    let isP256 =
      switch parameters.nextTag {
      case 0x06: try parameters.value(0x06, "curve").elementsEqual(prime256v1)
      case 0x30: try P256PublicKey.isCurve(fields: Array(parameters.value(0x30, "curve")))
      default: false
      }
    guard isP256 else { throw CryptographyError.unsupported("a private key that is not on P-256") }
  }
}
