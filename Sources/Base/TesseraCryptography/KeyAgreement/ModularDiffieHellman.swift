internal import CTesseraOpenSSL

/// One side of a Diffie-Hellman key agreement over the 1024-bit group of RFC 2409, 6.2 (the "second Oakley group": a
/// safe prime, generator 2), with an ephemeral key pair.
///
/// A group of this size no longer resists a well-funded attacker; use it only for protocols that prescribe it.
package final class ModularDiffieHellman {
  /// Length of the prime, a public value and the shared secret in bytes.
  package static let length = 128

  private let key: OpaquePointer
  /// The public value `y = 2^x mod p` of this side: 128 bytes, big-endian.
  package let publicValue: [UInt8]

  /// - Throws: `CryptographyError.openSSL` when the random generator is not seeded.
  package convenience init() throws {
    let group = try Self.key(Self.parameters(), EVP_PKEY_KEY_PARAMETERS)
    defer { EVP_PKEY_free(group) }
    guard let context = EVP_PKEY_CTX_new_from_pkey(nil, group, nil) else {
      throw CryptographyError.last("EVP_PKEY_CTX_new_from_pkey")
    }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_generate(context, &key) == 1, let key else {
      throw CryptographyError.last("generating a Diffie-Hellman key")
    }
    try self.init(owning: key)
  }

  /// Takes ownership of `key`.
  private init(owning key: OpaquePointer) throws {
    do {
      publicValue = try Self.publicValue(of: key)
    } catch {
      // `deinit` does not run if the initialiser throws.
      EVP_PKEY_free(key)
      throw error
    }
    self.key = key
  }

  private static func publicValue(of key: OpaquePointer) throws -> [UInt8] {
    var value: OpaquePointer?
    defer { BN_free(value) }
    var bytes = [UInt8](repeating: 0, count: length)
    guard EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PUB_KEY, &value) == 1,
      BN_bn2binpad(value, &bytes, Int32(length)) == length
    else { throw CryptographyError.last("reading a Diffie-Hellman key") }
    return bytes
  }

  /// For known-answer tests: a private exponent and its public value.
  convenience init(privateValue: [UInt8], publicValue: [UInt8]) throws {
    try self.init(
      owning: Self.key(Self.parameters(privateValue: privateValue, publicValue: publicValue), tessera_evp_pkey_keypair))
  }

  deinit { EVP_PKEY_free(key) }

  /// The shared secret `y^x mod p`: 128 bytes, big-endian with leading zeros.
  ///
  /// - Parameter peerValue: the public value `y` of the other side, big-endian, with or without leading zeros.
  /// - Throws: `CryptographyError.malformed` unless `1 < y < p - 1`: any other value makes the secret predictable.
  package func sharedSecret(with peerValue: [UInt8]) throws -> SecretBytes {
    let value = Array(peerValue.drop { $0 == 0 })
    guard try Self.isInRange(value) else {
      throw CryptographyError.malformed("a Diffie-Hellman value outside of the group")
    }
    let peer = try Self.key(Self.parameters(publicValue: value), tessera_evp_pkey_public_key)
    defer { EVP_PKEY_free(peer) }
    guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
      throw CryptographyError.last("EVP_PKEY_CTX_new_from_pkey")
    }
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_CTX_set_dh_pad(context, 1) == 1,
      EVP_PKEY_derive_set_peer(context, peer) == 1
    else { throw CryptographyError.last("EVP_PKEY_derive_set_peer") }
    return try SecretBytes(count: Self.length) { output in
      var count = output.count
      guard EVP_PKEY_derive(context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &count) == 1,
        count == Self.length
      else { throw CryptographyError.last("EVP_PKEY_derive") }
    }
  }

  /// Whether `1 < value < p - 1`.
  private static func isInRange(_ value: [UInt8]) throws -> Bool {
    guard value.count <= length else { return false }
    guard let number = BN_bin2bn(value, Int32(value.count), nil), let limit = BN_get_rfc2409_prime_1024(nil) else {
      throw CryptographyError.last("BN_bin2bn")
    }
    defer {
      BN_free(number)
      BN_free(limit)
    }
    guard BN_sub_word(limit, 1) == 1 else { throw CryptographyError.last("BN_sub_word") }
    return BN_cmp(number, BN_value_one()) > 0 && BN_cmp(number, limit) < 0
  }

  // MARK: - OpenSSL's keys

  /// The group and the given parts of a key pair, as OpenSSL parameters. The caller frees them.
  private static func parameters(
    privateValue: [UInt8]? = nil, publicValue: [UInt8]? = nil
  ) throws -> UnsafeMutablePointer<OSSL_PARAM> {
    let builder = OSSL_PARAM_BLD_new()
    let prime = BN_get_rfc2409_prime_1024(nil)
    let generator = BN_new()
    let secret = privateValue.flatMap { BN_bin2bn($0, Int32($0.count), nil) }
    let value = publicValue.flatMap { BN_bin2bn($0, Int32($0.count), nil) }
    // The numbers must outlive the builder, which copies them in its last step.
    defer {
      OSSL_PARAM_BLD_free(builder)
      BN_free(prime)
      BN_free(generator)
      BN_clear_free(secret)
      BN_free(value)
    }
    guard BN_set_word(generator, 2) == 1,
      OSSL_PARAM_BLD_push_BN(builder, tessera_param_p, prime) == 1,
      OSSL_PARAM_BLD_push_BN(builder, tessera_param_g, generator) == 1,
      secret == nil || OSSL_PARAM_BLD_push_BN(builder, tessera_param_private_key, secret) == 1,
      value == nil || OSSL_PARAM_BLD_push_BN(builder, tessera_param_public_key, value) == 1,
      let parameters = OSSL_PARAM_BLD_to_param(builder)
    else { throw CryptographyError.last("OSSL_PARAM_BLD_to_param") }
    return parameters
  }

  /// Creates a key from `parameters` and frees them.
  private static func key(
    _ parameters: UnsafeMutablePointer<OSSL_PARAM>, _ selection: Int32
  ) throws -> OpaquePointer {
    defer { OSSL_PARAM_free(parameters) }
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "DH", nil) else {
      throw CryptographyError.last("EVP_PKEY_CTX_new_from_name")
    }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_fromdata_init(context) == 1, EVP_PKEY_fromdata(context, &key, selection, parameters) == 1, let key
    else { throw CryptographyError.last("EVP_PKEY_fromdata") }
    return key
  }
}
