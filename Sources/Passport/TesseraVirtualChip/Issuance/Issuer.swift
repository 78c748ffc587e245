import SwiftASN1
import TesseraCryptography

/// A certificate with its private key and the algorithm of its signatures.
package struct Issuer: Sendable {
  package let certificate: Certificate
  package let key: IssuingKey
  package let algorithm: SignatureAlgorithm

  package init(certificate: Certificate, key: IssuingKey, algorithm: SignatureAlgorithm) {
    self.certificate = certificate
    self.key = key
    self.algorithm = algorithm
  }
}

/// Signs CSCA master lists (Doc 9303-12, 9).
package struct MasterListBuilder {
  /// `id-icao-mrtd-security-cscaMasterList`.
  package static let contentType = "2.23.136.1.1.2"

  package var certificates: [Certificate]

  package init(_ certificates: [Certificate]) { self.certificates = certificates }

  /// A DER `ContentInfo` that embeds the signer's certificate and the one of its country signer.
  ///
  /// - Parameters:
  ///   - signer: A master list signer.
  ///   - countrySigner: The certificate of the authority that issued the signer's.
  package func sign(by signer: Issuer, countrySigner: Certificate) throws -> [UInt8] {
    var builder = SignedDataBuilder(contentType: Self.contentType)
    builder.otherCertificates = [countrySigner]
    return try builder.sign(content(), by: signer)
  }

  /// `CscaMasterList` in DER.
  package func content() throws -> [UInt8] {
    let certificates = try certificates.map { Element(node: try DER.parse($0.der)) }
    var serializer = DER.Serializer()
    try serializer.appendConstructedNode(identifier: .sequence) { list in
      try list.serialize(0)
      try list.serializeSetOf(certificates)
    }
    return serializer.serializedBytes
  }

  /// A certificate as received.
  private struct Element: DERSerializable {
    let node: ASN1Node

    func serialize(into serializer: inout DER.Serializer) { serializer.serialize(node) }
  }
}
