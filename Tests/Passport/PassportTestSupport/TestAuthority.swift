import Foundation
import TesseraCryptography
import TesseraVirtualChip

/// A country signing authority with a new key, for tests that need several countries, or several keys of one country.
package struct TestAuthority: Sendable {
  package let issuer: Issuer
  /// The present, to the second: certificates have no fractions.
  package static let now = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.down))
  package static let day = 86_400.0

  package var certificate: Certificate { issuer.certificate }

  package init(issuer: Issuer) { self.issuer = issuer }

  /// - Parameters:
  ///   - key: nil for a new one.
  ///   - issuer: the authority that signs a link certificate; nil for a self-signed one.
  ///   - change: of the certificate before it is signed.
  package init(
    _ country: String = "UT", name: String = "CSCA", serialNumber: UInt64 = 1, key: IssuingKey? = nil,
    by issuer: TestAuthority? = nil, days: Range<Double> = -1000..<1000,
    change: (inout CertificateBuilder) -> Void = { _ in }
  ) throws {
    let key = try key ?? Self.newKey()
    var builder = Self.builder(.countrySigner, country, name, serialNumber, days)
    change(&builder)
    self.issuer = Issuer(
      certificate: try builder.issue(for: key, by: issuer?.issuer), key: key, algorithm: .ecdsa(.sha256))
  }

  package static func newKey() throws -> IssuingKey { IssuingKey(try SigningKey.generate()) }

  /// - Parameters:
  ///   - role: `documentSigner` gives a certificate without the key purpose of a list signer.
  ///   - change: of the certificate before it is signed.
  package func signer(
    _ role: CertificateBuilder.Role = .masterListSigner, serialNumber: UInt64 = 7, days: Range<Double> = -30..<300,
    change: (inout CertificateBuilder) -> Void = { _ in }
  ) throws -> Issuer {
    let key = try Self.newKey()
    var builder = Self.builder(role, certificate.country ?? "UT", "Signer \(serialNumber)", serialNumber, days)
    change(&builder)
    return Issuer(certificate: try builder.issue(for: key, by: issuer), key: key, algorithm: .ecdsa(.sha256))
  }

  /// A master list in DER.
  ///
  /// - Parameters:
  ///   - signer: nil for a new one of this authority.
  ///   - embedded: the certificates beside the signer's; nil for the one of this authority.
  ///   - signedAt: nil for the present.
  package func masterList(
    _ certificates: [Certificate], by signer: Issuer? = nil, embedded: [Certificate]? = nil, signedAt: Date? = nil
  ) throws -> [UInt8] {
    var builder = SignedDataBuilder(contentType: MasterListBuilder.contentType)
    builder.otherCertificates = embedded ?? [certificate]
    builder.signingTime = signedAt
    return try builder.sign(MasterListBuilder(certificates).content(), by: signer ?? self.signer())
  }

  /// A CRL in DER.
  ///
  /// - Parameter days: of this and the next update, relative to the present.
  package func revocationList(
    _ revoked: [UInt64] = [99], number: UInt64 = 1, days: Range<Double> = -1..<90
  ) throws -> [UInt8] {
    let start = Self.now.addingTimeInterval(days.lowerBound * Self.day)
    return try RevocationListBuilder(
      number: number, thisUpdate: start, nextUpdate: Self.now.addingTimeInterval(days.upperBound * Self.day),
      revoked: revoked.map { ($0, start) }
    ).issue(by: issuer)
  }

  /// A deviation list without deviations, in DER.
  package func emptyDeviationList() throws -> [UInt8] {
    // SEQUENCE { INTEGER 0, SET {} }
    try SignedDataBuilder(contentType: "2.23.136.1.1.7")
      .sign([0x30, 0x05, 0x02, 0x01, 0x00, 0x31, 0x00], by: signer(.deviationListSigner))
  }

  private static func builder(
    _ role: CertificateBuilder.Role, _ country: String, _ name: String, _ serialNumber: UInt64, _ days: Range<Double>
  ) -> CertificateBuilder {
    CertificateBuilder(
      role: role, country: country, organization: "Tessera test", commonName: name, serialNumber: serialNumber,
      notBefore: now.addingTimeInterval(days.lowerBound * day), notAfter: now.addingTimeInterval(days.upperBound * day))
  }
}
