import SwiftASN1

enum ASN1 {
  /// The outer fields of a certificate that are compared as raw bytes (RFC 5280, 4.1).
  struct CertificateParts {
    let serialNumber: [UInt8]
    let issuer: [UInt8]
    let signatureAlgorithm: ASN1Node
  }

  static func certificate(_ der: [UInt8]) throws -> CertificateParts {
    let outer = try ASN1Node.parse(der, "certificate").children("certificate")
    guard outer.count == 3 else { throw CryptographyError.malformed("certificate") }
    var fields = try outer[0].children("TBSCertificate")[...]
    if fields.first?.isContextSpecific(0) == true { fields.removeFirst() }  // version
    guard fields.count >= 3 else { throw CryptographyError.malformed("TBSCertificate") }
    let first = fields.startIndex
    return CertificateParts(
      serialNumber: try fields[first].octets("serial number"), issuer: Array(fields[first + 2].encodedBytes),
      signatureAlgorithm: outer[1])
  }
}
