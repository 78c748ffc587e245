internal import CTesseraMemory
internal import CTesseraOpenSSL

/// A P-256 private key in this process. OpenSSL stores its scalar in the secure heap and wipes it on release.
///
/// `@unchecked Sendable`: OpenSSL's key object is only read after the initialiser, and reading it from several
/// threads is allowed (openssl-threads(7)).
public final class SigningKey: @unchecked Sendable {
  package let key: OpaquePointer
  /// An `EVP_PKEY_CTX` ready to sign, never used itself: each signature duplicates it.
  let signingContext: OpaquePointer
  public let publicKey: P256PublicKey

  /// A new key pair.
  package static func generate() throws -> SigningKey {
    SecureHeap.prepare()
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else {
      throw CryptographyError.last("EVP_PKEY_CTX_new_from_name")
    }
    defer {
      EVP_PKEY_CTX_free(context)
      tessera_forget_registers()
    }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1,
      EVP_PKEY_generate(context, &key) == 1, let key
    else { throw CryptographyError.last("making a key pair") }
    do {
      return try SigningKey(key, try publicKey(of: key))
    } catch {
      EVP_PKEY_free(key)
      throw error
    }
  }

  /// - Parameter scalar: 32 bytes, big-endian, between 1 and the group order less one.
  /// - Throws: `CryptographyError` when the scalar is out of range.
  package init(p256Scalar scalar: SecretBytes) throws {
    guard scalar.count == 32 else { throw CryptographyError.malformed("P-256 scalar of \(scalar.count) bytes") }
    SecureHeap.prepare()
    var point = try Self.point(of: scalar)
    publicKey = try P256PublicKey(point: point)
    // OSSL_PARAM numbers are in native order, which is little-endian on everything that runs Swift on Linux.
    let number = scalar.reversed()
    let key = try number.withUnsafeBytes { number in
      var group = Array("prime256v1".utf8CString)
      let key = group.withUnsafeMutableBufferPointer { group in
        point.withUnsafeMutableBytes { point -> OpaquePointer? in
          var parameters = [
            OSSL_PARAM_construct_utf8_string(tessera_param_group_name, group.baseAddress, 0),
            OSSL_PARAM_construct_octet_string(tessera_param_public_key, point.baseAddress, point.count),
            OSSL_PARAM_construct_BN(
              tessera_param_private_key, UnsafeMutablePointer(mutating: number.bindMemory(to: UInt8.self).baseAddress),
              number.count),
            OSSL_PARAM_construct_end(),
          ]
          guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
          defer { EVP_PKEY_CTX_free(context) }
          var key: OpaquePointer?
          guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, tessera_evp_pkey_keypair, &parameters) == 1
          else { return nil }
          return key
        }
      }
      guard let key else { throw CryptographyError.last("building an EC private key") }
      return key
    }
    do {
      signingContext = try Self.makeSigningContext(key)
    } catch {
      EVP_PKEY_free(key)
      throw error
    }
    self.key = key
  }

  /// Takes ownership of the key.
  private init(_ key: OpaquePointer, _ publicKey: P256PublicKey) throws {
    signingContext = try Self.makeSigningContext(key)
    self.key = key
    self.publicKey = publicKey
  }

  deinit {
    EVP_PKEY_CTX_free(signingContext)
    EVP_PKEY_free(key)
  }

  /// 32 bytes, big-endian. Read directly into memory that is wiped, since OpenSSL's export functions leave copies.
  var scalar: SecretBytes {
    get throws {
      let native = try SecretBytes(count: 32) { buffer in
        var parameters = [
          OSSL_PARAM_construct_BN(
            tessera_param_private_key, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count),
          OSSL_PARAM_construct_end(),
        ]
        guard EVP_PKEY_get_params(key, &parameters) == 1 else { throw CryptographyError.last("reading a private key") }
      }
      return native.reversed()
    }
  }

  private static func publicKey(of key: OpaquePointer) throws -> P256PublicKey {
    var point = [UInt8](repeating: 0, count: 133)
    var length = 0
    guard
      EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, &point, point.count, &length) == 1
    else { throw CryptographyError.last("reading a public key") }
    return try P256PublicKey(point: point.prefix(length))
  }

  private static func point(of scalar: SecretBytes) throws -> [UInt8] {
    guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), let number = BN_secure_new(),
      let point = EC_POINT_new(group)
    else { throw CryptographyError.last("P-256") }
    defer {
      EC_POINT_free(point)
      BN_clear_free(number)
      EC_GROUP_free(group)
    }
    let isRead = scalar.withUnsafeBytes {
      BN_bin2bn($0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32($0.count), number) != nil
    }
    guard isRead else { throw CryptographyError.last("BN_bin2bn") }
    guard BN_is_zero(number) == 0, BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
      throw CryptographyError.malformed("P-256 scalar out of range")
    }
    var encoded = [UInt8](repeating: 0, count: 65)
    guard EC_POINT_mul(group, point, number, nil, nil, nil) == 1,
      EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &encoded, encoded.count, nil) == encoded.count
    else { throw CryptographyError.last("EC_POINT_mul") }
    return encoded
  }
}

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
    defer {
      EVP_PKEY_CTX_free(context)
      tessera_forget_registers()
    }
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

extension SecretBytes {
  /// The same bytes in the opposite order.
  fileprivate func reversed() -> SecretBytes {
    withUnsafeBytes { bytes in
      SecretBytes(count: count) { copy in
        for index in 0..<count { copy[index] = bytes[count - 1 - index] }
      }
    }
  }
}
