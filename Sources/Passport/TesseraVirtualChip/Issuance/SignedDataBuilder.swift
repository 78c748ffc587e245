internal import CTesseraOpenSSL
import TesseraCryptography

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Signs content into a CMS `SignedData` with OpenSSL, independently of the parser in `SignedData`.
package struct SignedDataBuilder {
  /// How `SignerInfo` names the signer's certificate (RFC 5652, 5.3).
  package enum SignerIdentification: Sendable, Equatable {
    case issuerAndSerialNumber
    /// The certificate must have a subject key identifier.
    case subjectKeyIdentifier
  }

  /// Dotted object identifier of the encapsulated content.
  package var contentType: String
  package var identification = SignerIdentification.issuerAndSerialNumber
  /// Whether the signer's certificate is in the result.
  package var embedsCertificate = true
  /// Certificates beside the signer's.
  package var otherCertificates: [Certificate] = []
  /// The signed attribute `signingTime`; nil for the present.
  package var signingTime: Date?

  package init(contentType: String) { self.contentType = contentType }

  /// A DER `ContentInfo` with signed attributes, signed with ECDSA and SHA-256.
  package static func sign(
    _ content: [UInt8], contentType: String, certificate: Certificate, key: IssuingKey
  ) throws -> [UInt8] {
    try SignedDataBuilder(contentType: contentType).sign(
      content, by: Issuer(certificate: certificate, key: key, algorithm: .ecdsa(.sha256)))
  }

  /// A DER `ContentInfo` with signed attributes. The digest algorithm is the hash function of the signer's algorithm.
  package func sign(_ content: [UInt8], by signer: Issuer) throws -> [UInt8] {
    let certificate = try OpenSSLCertificate(der: signer.certificate.der)
    var flags = UInt32(CMS_PARTIAL | CMS_BINARY | CMS_NOSMIMECAP | CMS_KEY_PARAM)
    if identification == .subjectKeyIdentifier { flags |= UInt32(CMS_USE_KEYID) }
    if !embedsCertificate { flags |= UInt32(CMS_NOCERTS) }
    guard let type = OBJ_txt2obj(contentType, 1) else { throw CryptographyError.openSSL("OBJ_txt2obj") }
    defer { ASN1_OBJECT_free(type) }
    guard let cms = CMS_sign(nil, nil, nil, nil, flags) else { throw CryptographyError.openSSL("CMS_sign") }
    defer { CMS_ContentInfo_free(cms) }
    guard CMS_set1_eContentType(cms, type) == 1,
      let info = CMS_add1_signer(cms, certificate.pointer, signer.key.pointer, signer.algorithm.hash?.openSSL, flags)
    else { throw CryptographyError.openSSL("CMS_add1_signer") }
    try signer.key.configure(CMS_SignerInfo_get0_pkey_ctx(info), signer.algorithm)
    try addSigningTime(to: info)
    for other in otherCertificates {
      let other = try OpenSSLCertificate(der: other.der)
      guard CMS_add1_cert(cms, other.pointer) == 1 else { throw CryptographyError.openSSL("CMS_add1_cert") }
    }
    try OpenSSLEncoding.withSource(content) { source in
      guard CMS_set_detached(cms, 0) == 1, CMS_final(cms, source, nil, flags) == 1 else {
        throw CryptographyError.openSSL("CMS_final")
      }
    }
    return try OpenSSLEncoding.der("i2d_CMS_ContentInfo") { i2d_CMS_ContentInfo(cms, &$0) }
  }

  /// OpenSSL adds the present if there is no such attribute.
  private func addSigningTime(to info: OpaquePointer) throws {
    guard let signingTime else { return }
    guard let time = ASN1_TIME_set(nil, Int(signingTime.timeIntervalSince1970)) else {
      throw CryptographyError.openSSL("ASN1_TIME_set")
    }
    defer { ASN1_STRING_free(time) }
    // The length -1 means that the value is an ASN1_STRING.
    guard CMS_signed_add1_attr_by_NID(info, NID_pkcs9_signingTime, time.pointee.type, time, -1) == 1 else {
      throw CryptographyError.openSSL("CMS_signed_add1_attr_by_NID")
    }
  }
}

/// Bytes to and from OpenSSL.
enum OpenSSLEncoding {
  /// Calls `body` with a `BIO` to read the bytes from.
  static func withSource<Result>(_ bytes: [UInt8], _ body: (OpaquePointer) throws -> Result) throws -> Result {
    try bytes.withUnsafeBytes { buffer in
      guard let count = Int32(exactly: buffer.count), let source = BIO_new_mem_buf(buffer.baseAddress, count) else {
        throw CryptographyError.openSSL("BIO_new_mem_buf")
      }
      defer { BIO_free(source) }
      return try body(source)
    }
  }

  /// The DER encoding of an OpenSSL object.
  ///
  /// - Parameter encode: OpenSSL's `i2d` function, which allocates the buffer and returns its length.
  static func der(_ what: String, _ encode: (inout UnsafeMutablePointer<UInt8>?) -> Int32) throws -> [UInt8] {
    var buffer: UnsafeMutablePointer<UInt8>?
    let length = encode(&buffer)
    guard length > 0, let buffer else { throw CryptographyError.openSSL(what) }
    defer { tessera_openssl_free(buffer) }
    return Array(UnsafeBufferPointer(start: buffer, count: Int(length)))
  }
}
