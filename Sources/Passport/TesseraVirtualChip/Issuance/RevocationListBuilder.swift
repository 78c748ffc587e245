internal import CTesseraOpenSSL
import TesseraCryptography

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Issues certificate revocation lists in the profile of Doc 9303-12, 7.1.4.
package struct RevocationListBuilder {
  /// A serial number and when it was revoked.
  package typealias Entry = (serialNumber: UInt64, date: Date)

  package var number: UInt64
  package var thisUpdate: Date
  package var nextUpdate: Date
  package var revoked: [Entry]

  package init(number: UInt64, thisUpdate: Date, nextUpdate: Date, revoked: [Entry] = []) {
    self.number = number
    self.thisUpdate = thisUpdate
    self.nextUpdate = nextUpdate
    self.revoked = revoked
  }

  /// A `CertificateList` in DER.
  package func issue(by issuer: Issuer) throws -> [UInt8] {
    let certificate = try OpenSSLCertificate(der: issuer.certificate.der)
    guard let list = X509_CRL_new() else { throw CryptographyError.openSSL("X509_CRL_new") }
    defer { X509_CRL_free(list) }
    guard X509_CRL_set_version(list, 1) == 1,
      X509_CRL_set_issuer_name(list, X509_get_subject_name(certificate.pointer)) == 1
    else { throw CryptographyError.openSSL("building a CRL") }
    try Self.withTime(thisUpdate) { X509_CRL_set1_lastUpdate(list, $0) }
    try Self.withTime(nextUpdate) { X509_CRL_set1_nextUpdate(list, $0) }
    for entry in revoked { try Self.add(entry, to: list) }
    guard X509_CRL_sort(list) == 1 else { throw CryptographyError.openSSL("X509_CRL_sort") }
    try CertificateExtension.add(
      [.text(NID_authority_key_identifier, "keyid:always")], to: .revocationList(list), issuer: certificate.pointer)
    try Self.withInteger(number) { X509_CRL_add1_ext_i2d(list, NID_crl_number, $0, 0, 0) }
    try issuer.key.withSigningContext(issuer.algorithm) { context in
      guard X509_CRL_sign_ctx(list, context) > 0 else { throw CryptographyError.openSSL("X509_CRL_sign_ctx") }
    }
    return try OpenSSLEncoding.der("i2d_X509_CRL") { i2d_X509_CRL(list, &$0) }
  }

  private static func add(_ entry: Entry, to list: OpaquePointer) throws {
    guard let revocation = X509_REVOKED_new() else { throw CryptographyError.openSSL("X509_REVOKED_new") }
    do {
      try withInteger(entry.serialNumber) { X509_REVOKED_set_serialNumber(revocation, $0) }
      try withTime(entry.date) { X509_REVOKED_set_revocationDate(revocation, $0) }
      // From here on the list owns the entry.
      guard X509_CRL_add0_revoked(list, revocation) == 1 else {
        throw CryptographyError.openSSL("X509_CRL_add0_revoked")
      }
    } catch {
      X509_REVOKED_free(revocation)
      throw error
    }
  }

  /// Calls an OpenSSL function that copies the time and returns 1.
  private static func withTime(_ date: Date, _ body: (UnsafeMutablePointer<ASN1_TIME>) -> Int32) throws {
    guard let time = ASN1_TIME_set(nil, Int(date.timeIntervalSince1970)) else {
      throw CryptographyError.openSSL("ASN1_TIME_set")
    }
    defer { ASN1_STRING_free(time) }
    guard body(time) == 1 else { throw CryptographyError.openSSL("setting a time") }
  }

  /// Calls an OpenSSL function that copies the number and returns 1.
  private static func withInteger(_ value: UInt64, _ body: (UnsafeMutablePointer<ASN1_INTEGER>) -> Int32) throws {
    guard let number = ASN1_INTEGER_new() else { throw CryptographyError.openSSL("ASN1_INTEGER_new") }
    defer { ASN1_INTEGER_free(number) }
    guard ASN1_INTEGER_set_uint64(number, value) == 1, body(number) == 1 else {
      throw CryptographyError.openSSL("setting a number")
    }
  }
}
