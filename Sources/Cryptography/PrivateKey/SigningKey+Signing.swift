internal import COpenSSL

extension SigningKey {
  /// ECDSA over a SHA-256 digest.
  ///
  /// The nonce is the deterministic one of RFC 6979 where OpenSSL can do it (3.2 and later), otherwise a random one.
  ///
  /// - Parameter digest: 32 bytes.
  public func sign(digest: [UInt8]) throws -> P256Signature {
    guard digest.count == HashAlgorithm.sha256.digestLength else {
      throw CryptographyError.malformed("digest of \(digest.count) bytes")
    }
    guard let context = EVP_PKEY_CTX_new(key, nil) else { throw CryptographyError.last("EVP_PKEY_CTX_new") }
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_sign_init(context) == 1 else { throw CryptographyError.last("EVP_PKEY_sign_init") }
    if Self.hasDeterministicNonces { try Self.askForDeterministicNonce(context) }
    var signature = [UInt8](repeating: 0, count: 80)
    var length = signature.count
    guard EVP_PKEY_sign(context, &signature, &length, digest, digest.count) == 1 else {
      throw CryptographyError.last("EVP_PKEY_sign")
    }
    return try P256Signature(ofOpenSSL: signature.prefix(length))
  }

  /// Whether signatures of this OpenSSL can be those of RFC 6979.
  public static let hasDeterministicNonces = OpenSSL_version_num() >= 0x3020_0000

  private static func askForDeterministicNonce(_ context: OpaquePointer) throws {
    var type: UInt32 = 1
    let isSet = withUnsafeMutablePointer(to: &type) { type in
      var parameters = [OSSL_PARAM_construct_uint(tessera_param_nonce_type, type), OSSL_PARAM_construct_end()]
      return EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
        && EVP_PKEY_CTX_set_params(context, &parameters) == 1
    }
    guard isSet else { throw CryptographyError.last("choosing the nonce") }
  }
}
