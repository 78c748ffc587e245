internal import CTesseraOpenSSL

/// Encryption to the owners of certificates: CMS `AuthEnvelopedData` (RFC 5083) with AES-256-GCM (RFC 5084). This
/// program encrypts and cannot decrypt; the owner of a private key decrypts with `openssl cms -decrypt -inform DER`.
///
/// The content is not signed: whoever has the certificates can make another one.
package enum EnvelopedData {
  /// - Parameter recipients: any one of them can decrypt.
  /// - Returns: a `ContentInfo` in DER.
  /// - Throws: `CryptographyError.malformed` without a recipient; `CryptographyError.openSSL`.
  package static func encrypt(_ content: [UInt8], for recipients: [EnvelopeRecipient]) throws -> [UInt8] {
    guard !recipients.isEmpty else { throw CryptographyError.malformed("an envelope without a recipient") }
    guard let length = Int32(exactly: content.count) else {
      throw CryptographyError.malformed("an envelope of \(content.count) bytes")
    }
    guard let envelope = CMS_encrypt(nil, nil, EVP_aes_256_gcm(), flags) else {
      throw CryptographyError.last("CMS_encrypt")
    }
    defer { CMS_ContentInfo_free(envelope) }
    for recipient in recipients { try add(recipient, to: envelope) }
    // OpenSSL takes no null pointer, which an empty array has.
    try (content + [0]).withUnsafeBytes { bytes in
      guard let source = BIO_new_mem_buf(bytes.baseAddress, length) else {
        throw CryptographyError.last("BIO_new_mem_buf")
      }
      defer { BIO_free(source) }
      guard CMS_final(envelope, source, nil, flags) == 1 else { throw CryptographyError.last("CMS_final") }
    }
    return try der(envelope)
  }

  /// The recipients come after the creation, and the bytes of the content stay as they are.
  private static let flags = UInt32(CMS_PARTIAL | CMS_BINARY)

  private static func add(_ recipient: EnvelopeRecipient, to envelope: OpaquePointer) throws {
    let certificate = try OpenSSLCertificate(der: recipient.certificate.der)
    guard
      let information = CMS_add1_recipient_cert(envelope, certificate.pointer, flags | UInt32(CMS_KEY_PARAM)),
      let context = CMS_RecipientInfo_get0_pkey_ctx(information)
    else { throw CryptographyError.last("CMS_add1_recipient_cert") }
    let isSet =
      switch recipient.algorithm {
      case .rsa:
        EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) > 0
          && EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) > 0
          && EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) > 0
      case .ellipticCurve:
        // OpenSSL sets the kind of key derivation itself, and refuses one that is set already.
        EVP_PKEY_CTX_set_ecdh_kdf_md(context, EVP_sha256()) > 0
      }
    guard isSet else { throw CryptographyError.last("the parameters of a recipient's key") }
  }

  private static func der(_ envelope: OpaquePointer) throws -> [UInt8] {
    var buffer: UnsafeMutablePointer<UInt8>?
    let length = i2d_CMS_ContentInfo(envelope, &buffer)
    guard length > 0, let buffer else { throw CryptographyError.last("i2d_CMS_ContentInfo") }
    defer { tessera_openssl_free(buffer) }
    return Array(UnsafeBufferPointer(start: buffer, count: Int(length)))
  }
}

/// A certificate whose owner can decrypt an `EnvelopedData`.
package struct EnvelopeRecipient: Sendable, Equatable {
  enum Algorithm: Sendable {
    /// RSAES-OAEP with SHA-256 (RFC 3560).
    case rsa
    /// ECDH with an ephemeral key (RFC 5753).
    case ellipticCurve
  }

  package let certificate: Certificate
  let algorithm: Algorithm

  /// Bits of the smallest RSA key and of the smallest curve.
  private static let smallestModulus = 2048
  private static let smallestCurve = 256

  /// Neither the issuer nor the validity of the certificate is checked: who names it vouches for it.
  ///
  /// - Throws: `CryptographyError.unsupported` if the key is of another type, too short, or not for encryption by its
  ///   `keyUsage`; `CryptographyError` if the key cannot be decoded.
  package init(_ certificate: Certificate) throws {
    let decoded = try OpenSSLCertificate(der: certificate.der)
    guard let key = X509_get0_pubkey(decoded.pointer) else {
      throw CryptographyError.last("decoding a recipient's key")
    }
    let bits = Int(EVP_PKEY_get_bits(key))
    let usage = X509_get_key_usage(decoded.pointer)
    let isForEncryption: Bool
    if EVP_PKEY_is_a(key, "RSA") == 1, bits >= Self.smallestModulus {
      algorithm = .rsa
      isForEncryption = usage & UInt32(KU_KEY_ENCIPHERMENT) != 0
    } else if EVP_PKEY_is_a(key, "EC") == 1, bits >= Self.smallestCurve {
      algorithm = .ellipticCurve
      isForEncryption = usage & UInt32(KU_KEY_AGREEMENT) != 0
    } else {
      throw CryptographyError.unsupported("a recipient's key that is neither RSA of 2048 bits nor on a curve of 256")
    }
    guard isForEncryption else {
      throw CryptographyError.unsupported("a certificate whose key usage does not include encryption")
    }
    self.certificate = certificate
  }

  /// The recipients of the certificates in a PEM file, at least one.
  ///
  /// - Throws: `CryptographyError.malformed` if there is no certificate or one cannot be decoded; those of `init(_:)`.
  package static func recipients(pem: SecretBytes) throws -> [EnvelopeRecipient] {
    let certificates = try PEM.blocks(of: pem).filter { labels.contains($0.label) }
    guard !certificates.isEmpty else { throw CryptographyError.malformed("a file without a certificate") }
    return try certificates.map { block in
      try EnvelopeRecipient(Certificate(der: block.content.withUnsafeBytes { Array($0) }))
    }
  }

  private static let labels = ["CERTIFICATE", "X509 CERTIFICATE"]
}
