internal import CTesseraOpenSSL
import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Issues the certificates of a specimen document in the profiles of Doc 9303-12, 7.
package struct CertificateBuilder {
  package enum Role: Sendable {
    /// Country Signing Certification Authority, self-signed.
    case countrySigner
    case documentSigner
  }

  package var role: Role
  /// Two letters.
  package var country: String
  package var organization: String
  package var commonName: String
  package var serialNumber: UInt64
  package var notBefore: Date
  package var notAfter: Date

  package init(
    role: Role, country: String, organization: String, commonName: String, serialNumber: UInt64, notBefore: Date,
    notAfter: Date
  ) {
    self.role = role
    self.country = country
    self.organization = organization
    self.commonName = commonName
    self.serialNumber = serialNumber
    self.notBefore = notBefore
    self.notAfter = notAfter
  }

  /// Signs with ECDSA and SHA-256.
  ///
  /// - Parameter issuer: the issuer's certificate and key; nil for a self-signed certificate.
  package func issue(for key: SigningKey, by issuer: (certificate: Certificate, key: SigningKey)?) throws -> Certificate
  {
    guard let pointer = X509_new() else { throw CryptographyError.last("X509_new") }
    let certificate = OpenSSLCertificate(owning: pointer)
    let issuerCertificate = try issuer.map { try OpenSSLCertificate(der: $0.certificate.der) } ?? certificate
    let subject = X509_get_subject_name(pointer)
    guard X509_set_version(pointer, 2) == 1,
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), serialNumber) == 1,
      ASN1_TIME_set(X509_getm_notBefore(pointer), Int(notBefore.timeIntervalSince1970)) != nil,
      ASN1_TIME_set(X509_getm_notAfter(pointer), Int(notAfter.timeIntervalSince1970)) != nil,
      add("C", country, to: subject, V_ASN1_PRINTABLESTRING),
      add("O", organization, to: subject, V_ASN1_UTF8STRING),
      add("CN", commonName, to: subject, V_ASN1_UTF8STRING),
      X509_set_issuer_name(pointer, X509_get_subject_name(issuerCertificate.pointer)) == 1,
      X509_set_pubkey(pointer, key.key) == 1
    else { throw CryptographyError.last("building a certificate") }
    for (extensionID, value) in extensions {
      try add(extensionID, value, to: pointer, issuer: issuerCertificate.pointer)
    }
    guard X509_sign(pointer, (issuer?.key ?? key).key, EVP_sha256()) > 0 else {
      throw CryptographyError.last("X509_sign")
    }
    return try Certificate(der: Self.der(pointer))
  }

  private var extensions: [(Int32, String)] {
    switch role {
    case .countrySigner:
      [
        (NID_subject_key_identifier, "hash"),
        (NID_authority_key_identifier, "keyid:always"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
      ]
    case .documentSigner:
      [
        (NID_authority_key_identifier, "keyid:always"),
        (NID_key_usage, "critical,digitalSignature"),
      ]
    }
  }

  private func add(_ field: String, _ value: String, to name: OpaquePointer?, _ type: Int32) -> Bool {
    let bytes = Array(value.utf8)
    return X509_NAME_add_entry_by_txt(name, field, type, bytes, Int32(bytes.count), -1, 0) == 1
  }

  private func add(_ id: Int32, _ value: String, to certificate: OpaquePointer, issuer: OpaquePointer) throws {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
    guard let entry = X509V3_EXT_conf_nid(nil, &context, id, value) else {
      throw CryptographyError.last("certificate extension")
    }
    defer { X509_EXTENSION_free(entry) }
    guard X509_add_ext(certificate, entry, -1) == 1 else { throw CryptographyError.last("X509_add_ext") }
  }

  private static func der(_ certificate: OpaquePointer) throws -> [UInt8] {
    var buffer: UnsafeMutablePointer<UInt8>?
    let length = i2d_X509(certificate, &buffer)
    guard length > 0, let buffer else { throw CryptographyError.last("i2d_X509") }
    defer { tessera_openssl_free(buffer) }
    return Array(UnsafeBufferPointer(start: buffer, count: Int(length)))
  }
}
