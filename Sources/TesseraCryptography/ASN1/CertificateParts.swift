import SwiftASN1

enum ASN1 {
  /// The fields of a certificate, as received (RFC 5280, 4.1).
  struct CertificateParts {
    let serialNumber: ASN1Node
    let issuer: ASN1Node
    let notBefore: ASN1Node
    let notAfter: ASN1Node
    let subject: ASN1Node
    let subjectPublicKeyInfo: ASN1Node
    let signatureAlgorithm: ASN1Node
  }

  static func certificate(_ der: [UInt8]) throws -> CertificateParts {
    let outer = try ASN1Node.parse(der, "certificate").children("certificate")
    guard outer.count == 3 else { throw CryptographyError.malformed("certificate") }
    var fields = try outer[0].children("TBSCertificate")[...]
    if fields.first?.isContextSpecific(0) == true { fields.removeFirst() }  // version
    guard fields.count >= 6 else { throw CryptographyError.malformed("TBSCertificate") }
    let first = fields.startIndex
    let validity = try fields[first + 3].children("validity")
    guard validity.count == 2 else { throw CryptographyError.malformed("validity") }
    return CertificateParts(
      serialNumber: fields[first], issuer: fields[first + 2], notBefore: validity[0], notAfter: validity[1],
      subject: fields[first + 4], subjectPublicKeyInfo: fields[first + 5], signatureAlgorithm: outer[1])
  }
}
