internal import CTesseraOpenSSL
import TesseraCryptography

/// Signs content into a CMS `SignedData` with OpenSSL, independently of the parser in `SignedData`.
package enum SignedDataBuilder {
  /// A DER `ContentInfo` with SHA-256, signed attributes and the signer's certificate.
  ///
  /// - Parameter contentType: dotted object identifier of the encapsulated content.
  package static func sign(
    _ content: [UInt8], contentType: String, certificate: Certificate, key: SigningKey
  ) throws -> [UInt8] {
    let signer = try OpenSSLCertificate(der: certificate.der)
    let flags = UInt32(CMS_PARTIAL | CMS_BINARY | CMS_NOSMIMECAP)
    guard let source = BIO_new_mem_buf(content, Int32(content.count)) else { throw CryptographyError.last("BIO_new") }
    defer { BIO_free(source) }
    guard let type = OBJ_txt2obj(contentType, 1) else { throw CryptographyError.last("OBJ_txt2obj") }
    defer { ASN1_OBJECT_free(type) }
    guard let cms = CMS_sign(nil, nil, nil, nil, flags) else { throw CryptographyError.last("CMS_sign") }
    defer { CMS_ContentInfo_free(cms) }
    guard CMS_set1_eContentType(cms, type) == 1,
      CMS_add1_signer(cms, signer.pointer, key.key, EVP_sha256(), flags) != nil,
      CMS_set_detached(cms, 0) == 1, CMS_final(cms, source, nil, flags) == 1
    else { throw CryptographyError.last("CMS signing") }
    var buffer: UnsafeMutablePointer<UInt8>?
    let length = i2d_CMS_ContentInfo(cms, &buffer)
    guard length > 0, let buffer else { throw CryptographyError.last("i2d_CMS_ContentInfo") }
    defer { tessera_openssl_free(buffer) }
    return Array(UnsafeBufferPointer(start: buffer, count: Int(length)))
  }
}
