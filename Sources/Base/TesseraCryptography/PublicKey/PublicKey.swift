internal import CTesseraOpenSSL

/// A public key in the form of its `SubjectPublicKeyInfo` (DER). Explicit parameters of known curves are
/// accepted, since many document signers use them.
public struct PublicKey: Sendable, Equatable {
  /// The kind of key, with its public numbers.
  public enum Kind: Sendable, Equatable {
    /// - Parameter modulus: decimal digits.
    case rsa(bits: Int, modulus: String)
    /// - Parameters:
    ///   - curve: OpenSSL's name of the curve; nil if it has none.
    ///   - x, y: affine coordinates in lower-case hexadecimal.
    case ellipticCurve(bits: Int, curve: String?, x: String, y: String)
    case other
  }

  public let subjectPublicKeyInfo: [UInt8]
  /// Decoded once, since decoding takes longer than checking a signature.
  private let key: OpenSSLPublicKey

  /// - Throws: `CryptographyError` if OpenSSL cannot decode the key.
  public init(subjectPublicKeyInfo: [UInt8]) throws {
    self.subjectPublicKeyInfo = subjectPublicKeyInfo
    key = try OpenSSLPublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo)
  }

  /// Computed at each use: verification does not need the numbers, and writing those of a large RSA key takes as long as
  /// a signature check.
  public var kind: Kind { withKey(Self.kind) }

  /// The type with the size or the curve: `RSA 4096`, `EC brainpoolP384r1`.
  package var summary: String {
    withKey { key in
      let bits = EVP_PKEY_get_bits(key)
      return switch Family(key) {
      case .rsa: "RSA \(bits)"
      case .ellipticCurve: "EC \(Self.curveName(key) ?? "\(bits) bits")"
      case .other: "of an unknown type"
      }
    }
  }

  private enum Family {
    case rsa, ellipticCurve, other

    init(_ key: OpaquePointer) {
      switch EVP_PKEY_get_base_id(key) {
      case EVP_PKEY_RSA, EVP_PKEY_RSA_PSS: self = .rsa
      case EVP_PKEY_EC: self = .ellipticCurve
      default: self = .other
      }
    }
  }

  public static func == (left: PublicKey, right: PublicKey) -> Bool {
    left.subjectPublicKeyInfo == right.subjectPublicKeyInfo
  }

  /// Whether both are one key, also if one of the encodings writes out the parameters of its curve and the other one names
  /// it.
  package func isSameKey(as other: PublicKey) -> Bool {
    if self == other { return true }
    return withKey { own in
      other.withKey { other in
        defer { ERR_clear_error() }
        return EVP_PKEY_eq(own, other) == 1
      }
    }
  }

  /// Whether `signature` is a valid signature by this key over `message`, in any encoding of its numbers: for `.plainECDSA`
  /// two halves of equal length, and with `inAnyForm` any encoding of r and s. False for a malformed signature.
  ///
  /// - Parameter inAnyForm: whether the plain form counts under the name of the DER form, and the opposite: of a chip's
  ///   answer, which has no name. A document whose form is not the one that it names is signed wrongly.
  /// - Throws: `CryptographyError` if the key does not match the algorithm, or a plain signature is empty, odd or over 1,024
  ///   bytes.
  package func verify(
    _ signature: some Collection<UInt8>, over message: some Collection<UInt8>, _ algorithm: SignatureAlgorithm,
    inAnyForm: Bool = false
  ) throws -> Bool {
    guard let hash = algorithm.hash else {
      throw CryptographyError.unsupported("signature algorithm \(algorithm.javaName)")
    }
    let (encoded, message) = (Array(signature), Array(message))
    var malformed: CryptographyError?
    do {
      if try verify(encoded, message, algorithm, hash) { return true }
    } catch CryptographyError.malformed(let what) where inAnyForm {
      malformed = .malformed(what)
    }
    // The same numbers in another encoding are the same signature.
    switch algorithm {
    case .plainECDSA where !inAnyForm: return false
    case .ecdsa, .plainECDSA:
      let length = withKey { (Int(EVP_PKEY_get_bits($0)) + 7) / 8 }
      let readings =
        inAnyForm
        ? ECDSASignature.readings(of: encoded, length: length)
        : [ECDSASignature.distinguished(encoded)].compactMap { $0 }
      if try readings.contains(where: { try verify($0, message, .ecdsa(hash), hash) }) { return true }
      if let malformed { throw malformed }
      return false
    case .rsaPKCS1: return try opens(encoded, to: message, hash)
    case .rsaPSS(_, let maskHash, _):
      let anySalt = SignatureAlgorithm.rsaPSS(hash, maskHash: maskHash, saltLength: Int(RSA_PSS_SALTLEN_AUTO))
      return (try? withoutParameters().verify(withModulusLength(encoded), message, anySalt, hash)) ?? false
    case .unknown: return false
    }
  }

  private func verify(
    _ signature: [UInt8], _ message: [UInt8], _ algorithm: SignatureAlgorithm, _ hash: HashAlgorithm
  ) throws -> Bool {
    try withKey { key in
      guard let context = EVP_MD_CTX_new() else { throw CryptographyError.last("EVP_MD_CTX_new") }
      defer { EVP_MD_CTX_free(context) }
      var keyContext: OpaquePointer?
      guard EVP_DigestVerifyInit(context, &keyContext, hash.evp, nil, key) == 1 else {
        throw CryptographyError.last("EVP_DigestVerifyInit")
      }
      var encoded = signature
      switch (algorithm, Family(key)) {
      case (.rsaPKCS1, .rsa):
        guard EVP_PKEY_get_base_id(key) != EVP_PKEY_RSA_PSS else {
          throw CryptographyError.unsupported("a signature of PKCS #1 by a key that is for RSASSA-PSS only")
        }
      case (.rsaPSS(_, let maskHash, let saltLength), .rsa):
        guard EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1,
          EVP_PKEY_CTX_set_rsa_mgf1_md(keyContext, maskHash.evp) == 1,
          EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, Int32(saltLength)) == 1
        else { throw CryptographyError.last("RSA-PSS parameters") }
      case (.ecdsa, .ellipticCurve): break
      case (.plainECDSA, .ellipticCurve): encoded = try ECDSASignature.der(plain: encoded)
      default: throw CryptographyError.keyMismatch(algorithm: algorithm.javaName)
      }
      let result = EVP_DigestVerify(context, encoded, encoded.count, message, message.count)
      ERR_clear_error()  // a wrong signature leaves entries behind
      return result == 1
    }
  }

  /// Calls `body` with OpenSSL's `EVP_PKEY *`.
  package func withKey<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result {
    // A pointer does not keep its owner alive.
    try withExtendedLifetime(key) { try body(key.pointer) }
  }

  /// In bits. No document has a larger key, and converting one to decimal takes quadratic time.
  private static let longestKey = 16_384

  /// The length of an RSA modulus; nil for every other key.
  var modulusBits: Int? {
    withKey { key in
      let bits = Int(EVP_PKEY_get_bits(key))
      return Family(key) == .rsa && bits <= Self.longestKey ? bits : nil
    }
  }

  private static func kind(of key: OpaquePointer) -> Kind {
    let bits = Int(EVP_PKEY_get_bits(key))
    guard bits <= longestKey else { return .other }
    switch Family(key) {
    case .rsa:
      guard let modulus = number(key, OSSL_PKEY_PARAM_RSA_N, BN_bn2dec) else { return .other }
      return .rsa(bits: bits, modulus: modulus)
    case .ellipticCurve:
      guard let x = number(key, OSSL_PKEY_PARAM_EC_PUB_X, BN_bn2hex),
        let y = number(key, OSSL_PKEY_PARAM_EC_PUB_Y, BN_bn2hex)
      else { return .other }
      return .ellipticCurve(bits: bits, curve: curveName(key), x: x.lowercased(), y: y.lowercased())
    case .other: return .other
    }
  }

  private static func number(
    _ key: OpaquePointer, _ name: String, _ text: (OpaquePointer?) -> UnsafeMutablePointer<CChar>?
  ) -> String? {
    var value: OpaquePointer?
    guard EVP_PKEY_get_bn_param(key, name, &value) == 1 else { return nil }
    defer { BN_free(value) }
    guard let characters = text(value) else { return nil }
    defer { tessera_openssl_free(characters) }
    return String(cString: characters)
  }

  private static func curveName(_ key: OpaquePointer) -> String? {
    var name = [CChar](repeating: 0, count: 80)
    var length = 0
    guard EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, &name, name.count, &length) == 1 else {
      ERR_clear_error()
      return nil
    }
    return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The RSA public-key operation without padding, for signatures with message recovery (ISO/IEC 9796-2).
extension PublicKey {
  /// `signature ^ e mod n`, as long as the modulus, and its complement `n - (signature ^ e mod n)`: the signer may have
  /// used either (ISO/IEC 9796-2, B.4 and B.6).
  ///
  /// - Throws: `CryptographyError.malformed` if the signature is not less than the modulus; `.unsupported` for a key
  ///   that is not RSA.
  package func recover(_ signature: [UInt8]) throws -> (message: [UInt8], complement: [UInt8]) {
    guard let bits = modulusBits else { throw CryptographyError.unsupported("message recovery without RSA") }
    let length = (bits + 7) / 8
    let digits = Array(signature.drop { $0 == 0 })
    return try withKey { key in
      var modulus: OpaquePointer?
      var exponent: OpaquePointer?
      defer {
        BN_free(modulus)
        BN_free(exponent)
      }
      guard EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &modulus) == 1,
        EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1, let modulus, let exponent
      else { throw CryptographyError.last("reading an RSA key") }
      // A very long exponent would only keep this reader busy; a valid modulus is odd.
      guard BN_num_bits(exponent) <= 64, BN_is_odd(modulus) == 1 else {
        throw CryptographyError.unsupported("an RSA key with a very long exponent or an even modulus")
      }
      let number = try BigNumber(digits)
      guard digits.count <= length, !number.isZero, BN_cmp(number.pointer, modulus) < 0 else {
        throw CryptographyError.malformed("an RSA signature that is not less than its modulus")
      }
      let context = try BigNumberContext()
      let message = try BigNumber()
      let complement = try BigNumber()
      // A pointer does not keep its owner alive.
      let isDone = withExtendedLifetime((number, context)) {
        BN_mod_exp(message.pointer, number.pointer, exponent, modulus, context.pointer)
      }
      guard isDone == 1, BN_sub(complement.pointer, modulus, message.pointer) == 1 else {
        throw CryptographyError.last("BN_mod_exp")
      }
      return (try message.bytes(count: length), try complement.bytes(count: length))
    }
  }
}
