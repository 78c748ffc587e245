internal import CTesseraOpenSSL
import TesseraCryptography

/// The private key of a test authority. It is public, derived from a published text or printed in the source, and must
/// not be trusted.
///
/// `@unchecked Sendable`: OpenSSL's key object is only read after the initialiser, and reading it from several threads
/// is allowed (openssl-threads(7)).
package final class IssuingKey: @unchecked Sendable {
  /// Who has the key. An elliptic-curve key derives from the raw value.
  package enum Holder: String, Sendable, CaseIterable {
    case countrySigner = "CSCA Utopia"
    /// The country signer before a key rollover, or beside the one that signed the document.
    case otherCountrySigner = "Other CSCA Utopia"
    case documentSigner = "Document Signer 1"
    case masterListSigner = "Master List Signer"
    case barcodeSigner = "Barcode Signer 1"
    case nonConstrainedSigner = "VDS-NC Signer 1"
  }

  let pointer: OpaquePointer
  package let type: IssuingKeyType

  /// The same key at every call.
  package init(_ type: IssuingKeyType, of holder: Holder) throws {
    self.type = type
    switch type {
    case .rsa: pointer = try SpecimenKeys.issuingRSA(holder)
    case .ellipticCurve(let curve, let encoding):
      pointer = try Self.ellipticCurve(IssuingCurve(curve, encoding), holder.rawValue)
    }
  }

  /// Any other P-256 key.
  package init(_ key: SigningKey) {
    type = .p256
    pointer = key.key
    EVP_PKEY_up_ref(pointer)
  }

  deinit { EVP_PKEY_free(pointer) }

  private static func ellipticCurve(_ curve: IssuingCurve, _ name: String) throws -> OpaquePointer {
    let order = try BigNumber(copying: EC_GROUP_get0_order(curve.group)).bytes()
    let scalar = try BigNumber(SpecimenKeys.exponent(name, order: order))
    guard let point = EC_POINT_new(curve.group) else { throw CryptographyError.openSSL("EC_POINT_new") }
    defer { EC_POINT_free(point) }
    guard let numbers = EC_KEY_new() else { throw CryptographyError.openSSL("EC_KEY_new") }
    defer { EC_KEY_free(numbers) }
    // EC_KEY_set_group copies the group with the encoding of its parameters.
    guard EC_POINT_mul(curve.group, point, scalar.pointer, nil, nil, nil) == 1,
      EC_KEY_set_group(numbers, curve.group) == 1, EC_KEY_set_private_key(numbers, scalar.pointer) == 1,
      EC_KEY_set_public_key(numbers, point) == 1, let key = EVP_PKEY_new()
    else { throw CryptographyError.openSSL("building an EC key") }
    guard EVP_PKEY_set1_EC_KEY(key, numbers) == 1 else {
      EVP_PKEY_free(key)
      throw CryptographyError.openSSL("EVP_PKEY_set1_EC_KEY")
    }
    return key
  }

  // MARK: - Signing

  /// Calls `body` with an `EVP_MD_CTX` for one signature.
  ///
  /// - Throws: `CryptographyError.keyMismatch` if the algorithm does not match the key.
  func withSigningContext<Result>(
    _ algorithm: SignatureAlgorithm, _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    guard let context = EVP_MD_CTX_new() else { throw CryptographyError.openSSL("EVP_MD_CTX_new") }
    defer { EVP_MD_CTX_free(context) }
    var keyContext: OpaquePointer?
    guard EVP_DigestSignInit(context, &keyContext, algorithm.hash?.openSSL, nil, pointer) == 1 else {
      throw CryptographyError.openSSL("EVP_DigestSignInit")
    }
    try configure(keyContext, algorithm)
    return try body(context)
  }

  /// Sets the padding of RSA in an `EVP_PKEY_CTX`.
  ///
  /// - Throws: `CryptographyError.keyMismatch` if the algorithm does not match the key.
  func configure(_ context: OpaquePointer?, _ algorithm: SignatureAlgorithm) throws {
    switch (type, algorithm) {
    case (.rsa, .rsaPKCS1), (.ellipticCurve, .ecdsa): break
    case (.rsa, .rsaPSS(_, let maskHash, let saltLength)):
      guard EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1,
        EVP_PKEY_CTX_set_rsa_mgf1_md(context, maskHash.openSSL) == 1,
        EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(saltLength)) == 1
      else { throw CryptographyError.openSSL("RSA-PSS parameters") }
    default: throw CryptographyError.keyMismatch(algorithm: algorithm.javaName)
    }
  }
}

extension HashAlgorithm {
  /// OpenSSL's `EVP_MD`.
  var openSSL: OpaquePointer? { EVP_get_digestbyname(rawValue.replacing("-", with: "")) }
}
