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
