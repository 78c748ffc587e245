internal import CTesseraOpenSSL

extension SigningKey {
  /// Signs a SHA-256 digest with ECDSA.
  ///
  /// Uses the deterministic nonce of RFC 6979 if OpenSSL supports it (3.2 and later), otherwise a random one.
  ///
  /// - Parameter digest: 32 bytes.
  package func sign(digest: [UInt8]) throws -> P256Signature {
    guard digest.count == HashAlgorithm.sha256.digestLength else {
      throw CryptographyError.malformed("digest of \(digest.count) bytes")
    }
    // A context serves one thread at a time. A duplicate costs a tenth of a new one, which looks up its algorithm.
    guard let context = EVP_PKEY_CTX_dup(signingContext) else { throw CryptographyError.last("EVP_PKEY_CTX_dup") }
    defer { EVP_PKEY_CTX_free(context) }
    return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 80) { signature in
      var length = signature.count
      guard EVP_PKEY_sign(context, signature.baseAddress, &length, digest, digest.count) == 1 else {
        throw CryptographyError.last("EVP_PKEY_sign")
      }
      return try P256Signature(
        ofOpenSSL: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(signature)[..<length]))
    }
  }

  static func makeSigningContext(_ key: OpaquePointer) throws -> OpaquePointer {
    guard let context = EVP_PKEY_CTX_new(key, nil) else { throw CryptographyError.last("EVP_PKEY_CTX_new") }
    do {
      guard EVP_PKEY_sign_init(context) == 1 else { throw CryptographyError.last("EVP_PKEY_sign_init") }
      if hasDeterministicNonces { try setDeterministicNonce(context) }
      return context
    } catch {
      EVP_PKEY_CTX_free(context)
      throw error
    }
  }

  /// Whether this version of OpenSSL supports the nonces of RFC 6979.
  package static let hasDeterministicNonces = OpenSSL_version_num() >= 0x3020_0000

  private static func setDeterministicNonce(_ context: OpaquePointer) throws {
    var type: UInt32 = 1
    let isSet = withUnsafeMutablePointer(to: &type) { type in
      var parameters = [OSSL_PARAM_construct_uint(tessera_param_nonce_type, type), OSSL_PARAM_construct_end()]
      return EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
        && EVP_PKEY_CTX_set_params(context, &parameters) == 1
    }
    guard isSet else { throw CryptographyError.last("choosing the nonce") }
  }
}
