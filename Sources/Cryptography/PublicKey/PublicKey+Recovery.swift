internal import COpenSSL

/// The bare operation of an RSA public key, for signatures from which the message is recovered (ISO/IEC 9796-2).
extension PublicKey {
  /// `signature ^ e mod n`, as long as the modulus, and its complement `n - that` (ISO/IEC 9796-2, B.4 and B.6: the
  /// signer may have signed either).
  ///
  /// - Throws: `CryptographyError.malformed` for a signature that is not shorter than the modulus as a number;
  ///   `.unsupported` for a key that is not RSA.
  public func recover(_ signature: [UInt8]) throws -> (message: [UInt8], complement: [UInt8]) {
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
      // An exponent as long as the modulus would only keep this reader busy; an even modulus is none.
      guard BN_num_bits(exponent) <= 64, BN_is_odd(modulus) == 1 else {
        throw CryptographyError.unsupported("an RSA key with such an exponent or modulus")
      }
      let number = try BigNumber(digits)
      guard digits.count <= length, !number.isZero, BN_cmp(number.pointer, modulus) < 0 else {
        throw CryptographyError.malformed("an RSA signature that is not below its modulus")
      }
      let context = try BigNumberContext()
      let message = try BigNumber()
      let complement = try BigNumber()
      // A pointer does not keep its owner.
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
