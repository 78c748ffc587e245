internal import CTesseraOpenSSL

/// The RSA public-key operation without padding, for signatures with message recovery (ISO/IEC 9796-2).
extension PublicKey {
  /// `signature ^ e mod n`, as long as the modulus, and its complement `n - (signature ^ e mod n)`: the signer may have
  /// used either (ISO/IEC 9796-2, B.4 and B.6).
  ///
  /// - Throws: `CryptographyError.malformed` if the signature is not less than the modulus; `.unsupported` for a key
  ///   that is not RSA.
  package func recover(_ signature: [UInt8]) throws -> (message: [UInt8], complement: [UInt8]) {
    guard case .rsa(let bits, _) = kind else { throw CryptographyError.unsupported("message recovery without RSA") }
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
