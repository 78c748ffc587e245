internal import CTesseraMemory
internal import CTesseraOpenSSL

/// An RSA or elliptic-curve private key that signs with a given algorithm.
///
/// `@unchecked Sendable`: OpenSSL's key object is only read after the initialiser, and reading it from several
/// threads is allowed (openssl-threads(7)).
public final class PrivateKey: @unchecked Sendable {
  /// The public part of the key.
  package enum PublicNumbers: Sendable, Equatable {
    /// Big-endian.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// `04 || X || Y`.
    case point([UInt8])
  }

  private let key: OpaquePointer
  package let publicNumbers: PublicNumbers
  /// Length of each number of a plain ECDSA signature in bytes.
  private let halfLength: Int

  /// - Parameter encoded: PKCS #8, PKCS #1 or SEC 1, in DER or PEM, without a passphrase.
  /// - Throws: `CryptographyError.malformed` if it is none of these; `.unsupported` for another kind of key.
  public init(_ encoded: SecretBytes) throws {
    SecureHeap.prepare()
    let key = try encoded.withUnsafeBytes { bytes in
      var cursor = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      // DER begins with a SEQUENCE, PEM with text.
      let decoded =
        bytes.first == 0x30 ? d2i_AutoPrivateKey(nil, &cursor, bytes.count) : try Self.decodePEM(bytes)
      guard let decoded else {
        ERR_clear_error()
        throw CryptographyError.malformed("a private key")
      }
      return decoded
    }
    do {
      publicNumbers = try Self.publicNumbers(of: key)
    } catch {
      // `deinit` does not run if the initialiser throws.
      EVP_PKEY_free(key)
      throw error
    }
    halfLength = (Int(EVP_PKEY_get_bits(key)) + 7) / 8
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  private static func decodePEM(_ bytes: UnsafeRawBufferPointer) throws -> OpaquePointer? {
    guard let length = Int32(exactly: bytes.count), let bio = BIO_new_mem_buf(bytes.baseAddress, length) else {
      return nil
    }
    defer { BIO_free(bio) }
    // Without a callback OpenSSL would read a passphrase from the terminal.
    return PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
  }

  private static func publicNumbers(of key: OpaquePointer) throws -> PublicNumbers {
    switch EVP_PKEY_get_base_id(key) {
    case EVP_PKEY_RSA, EVP_PKEY_RSA_PSS:
      return .rsa(
        modulus: try number(key, OSSL_PKEY_PARAM_RSA_N), exponent: try number(key, OSSL_PKEY_PARAM_RSA_E))
    case EVP_PKEY_EC:
      let x = try number(key, OSSL_PKEY_PARAM_EC_PUB_X)
      let y = try number(key, OSSL_PKEY_PARAM_EC_PUB_Y)
      let prime = try number(key, OSSL_PKEY_PARAM_EC_P)
      func padded(_ digits: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: max(0, prime.count - digits.count)) + digits
      }
      return .point([4] + padded(x) + padded(y))
    default: throw CryptographyError.unsupported("a private key that is neither RSA nor elliptic-curve")
    }
  }

  private static func number(_ key: OpaquePointer, _ name: String) throws -> [UInt8] {
    var value: OpaquePointer?
    defer { BN_free(value) }
    guard EVP_PKEY_get_bn_param(key, name, &value) == 1, let value else {
      throw CryptographyError.last("reading a private key")
    }
    var bytes = [UInt8](repeating: 0, count: Int((BN_num_bits(value) + 7) / 8))
    BN_bn2bin(value, &bytes)
    return bytes
  }

  /// Signs `message`.
  ///
  /// - Throws: `CryptographyError.unsupported` if the algorithm does not match the key.
  package func sign(_ message: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
    guard let hash = algorithm.hash else {
      throw CryptographyError.unsupported("signature algorithm \(algorithm.javaName)")
    }
    guard let context = EVP_MD_CTX_new() else { throw CryptographyError.last("EVP_MD_CTX_new") }
    defer {
      EVP_MD_CTX_free(context)
      tessera_forget_registers()
    }
    var keyContext: OpaquePointer?
    guard EVP_DigestSignInit(context, &keyContext, hash.evp, nil, key) == 1 else {
      throw CryptographyError.last("EVP_DigestSignInit")
    }
    switch (algorithm, publicNumbers) {
    case (.rsaPKCS1, .rsa), (.ecdsa, .point), (.plainECDSA, .point): break
    case (.rsaPSS(_, let maskHash, let saltLength), .rsa):
      guard EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1,
        EVP_PKEY_CTX_set_rsa_mgf1_md(keyContext, maskHash.evp) == 1,
        EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, Int32(saltLength)) == 1
      else { throw CryptographyError.last("RSA-PSS parameters") }
    default: throw CryptographyError.unsupported("\(algorithm.javaName) with a key of another kind")
    }
    var length = 0
    guard EVP_DigestSign(context, nil, &length, message, message.count) == 1 else {
      throw CryptographyError.last("EVP_DigestSign")
    }
    var signature = [UInt8](repeating: 0, count: length)
    guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else {
      throw CryptographyError.last("EVP_DigestSign")
    }
    signature = Array(signature.prefix(length))
    guard case .plainECDSA = algorithm else { return signature }
    return try ECDSASignature.plain(der: signature, halfLength: halfLength)
  }
}
