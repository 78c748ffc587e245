import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The Country Signing Certification Authority (CSCA) of a test country. All dates are relative to the present, so that
/// the certificates of a test do not expire.
package struct CountryAuthority: Sendable {
  /// The codes of a country.
  struct Identity: Sendable {
    /// The attribute `C` of names.
    let twoLetters: String
    /// The issuing state in the MRZ.
    let threeLetters: String

    static let utopia = Identity(twoLetters: "UT", threeLetters: "UTO")
    /// ISO 3166 leaves these codes to users, so no country has them.
    static let foreign = Identity(twoLetters: "ZZ", threeLetters: "ZZZ")
  }

  /// The numbers of the certificates. An authority uses each once.
  enum SerialNumber {
    static let countrySigner: UInt64 = 1
    static let documentSigner: UInt64 = 2
    static let masterListSigner: UInt64 = 3
    static let link: UInt64 = 4
    static let deviationListSigner: UInt64 = 5
    /// A certificate that exists only in the CRL.
    static let unrelated: UInt64 = 99
  }

  package let issuer: Issuer
  let identity: Identity
  let now: Date

  private init(issuer: Issuer, identity: Identity, now: Date) {
    self.issuer = issuer
    self.identity = identity
    self.now = now
  }

  /// A new authority with a self-signed certificate. It signs for five years, of which two have passed.
  init(_ suite: DocumentIssuance.Suite, of holder: IssuingKey.Holder, _ identity: Identity, now: Date) throws {
    let key = try IssuingKey(suite.key, of: holder)
    let builder = Self.countrySigner(identity, use: Self.presentUse, now: now)
    let certificate = try builder.issue(for: key, by: nil, algorithm: suite.algorithm)
    self.init(
      issuer: Issuer(certificate: certificate, key: key, algorithm: suite.algorithm), identity: identity, now: now)
  }

  /// The authority before a key rollover, and the authority after it with the link certificate between them.
  static func rollover(
    _ suite: DocumentIssuance.Suite, _ identity: Identity, now: Date
  ) throws -> (former: CountryAuthority, present: CountryAuthority) {
    let formerKey = try IssuingKey(suite.key, of: .otherCountrySigner)
    // The former key signed until the present one replaced it, and the link certificate in its last month.
    var builder = countrySigner(identity, use: -1900..<(presentUse.lowerBound + 30), now: now)
    let formerCertificate = try builder.issue(for: formerKey, by: nil, algorithm: suite.algorithm)
    let former = Issuer(certificate: formerCertificate, key: formerKey, algorithm: suite.algorithm)

    let key = try IssuingKey(suite.key, of: .countrySigner)
    builder = countrySigner(identity, use: presentUse, now: now)
    builder.serialNumber = SerialNumber.link
    builder.notAfter = formerCertificate.notAfter
    let link = Issuer(certificate: try builder.issue(for: key, by: former), key: key, algorithm: suite.algorithm)
    return (
      CountryAuthority(issuer: former, identity: identity, now: now),
      CountryAuthority(issuer: link, identity: identity, now: now)
    )
  }

  // MARK: - Issuing

  /// A document signer that signs for three months, of which one has passed.
  ///
  /// - Parameter documentTypes: The document codes of the MRZ.
  func documentSigner(
    _ suite: DocumentIssuance.Suite, documentTypes: [String], hasExpired: Bool = false, keyUsage: String? = nil,
    isMinimal: Bool = false
  ) throws -> Issuer {
    let use = hasExpired ? -400..<(-310) : -30..<60
    var builder = builder(
      .documentSigner, "Document Signer 1", SerialNumber.documentSigner, use: use,
      until: hasExpired ? -10 : use.upperBound + Self.documentLife)
    builder.documentTypes = documentTypes
    if isMinimal {
      builder.documentTypes = []
      builder.hasSubjectKeyIdentifier = false
      builder.privateKeyUsage = nil
      builder.issuingState = nil
      builder.revocationListAddress = nil
    }
    if let keyUsage { builder.keyUsage = keyUsage }
    let key = try IssuingKey(suite.key, of: .documentSigner)
    return Issuer(certificate: try builder.issue(for: key, by: issuer), key: key, algorithm: suite.algorithm)
  }

  /// A signer of CSCA master lists with the authority's kind of key.
  package func masterListSigner() throws -> Issuer {
    try listSigner(.masterListSigner, "Master List Signer", SerialNumber.masterListSigner)
  }

  /// A signer of deviation lists. It has the key of the master list signer.
  package func deviationListSigner() throws -> Issuer {
    try listSigner(.deviationListSigner, "Deviation List Signer", SerialNumber.deviationListSigner)
  }

  private func listSigner(_ role: CertificateBuilder.Role, _ name: String, _ serialNumber: UInt64) throws -> Issuer {
    let builder = builder(role, name, serialNumber, use: -30..<335, until: 335)
    let key = try IssuingKey(issuer.key.type, of: .masterListSigner)
    return Issuer(certificate: try builder.issue(for: key, by: issuer), key: key, algorithm: issuer.algorithm)
  }

  /// A CRL in DER with one entry, whose next update is in 90 days or ten days ago.
  func revocationList(revoking serialNumber: UInt64, isStale: Bool = false) throws -> [UInt8] {
    let thisUpdate = isStale ? Self.day(-100, now) : now
    return try RevocationListBuilder(
      number: 1, thisUpdate: thisUpdate, nextUpdate: thisUpdate.addingTimeInterval(90 * Self.secondsPerDay),
      revoked: [(serialNumber, thisUpdate.addingTimeInterval(-Self.secondsPerDay))]
    ).issue(by: issuer)
  }

  private func builder(
    _ role: CertificateBuilder.Role, _ name: String, _ serialNumber: UInt64, use: Range<Int>, until lastDay: Int
  ) -> CertificateBuilder {
    Self.builder(role, name, identity, serialNumber, use: use, until: lastDay, now: now)
  }

  // MARK: - Certificates

  /// Ten years and a margin, in days.
  static let documentLife = 3653
  /// The days in which the present authority signs.
  private static let presentUse = -730..<1095
  private static let secondsPerDay = 86_400.0

  /// A certificate that is valid until the last document has expired.
  private static func countrySigner(_ identity: Identity, use: Range<Int>, now: Date) -> CertificateBuilder {
    // A document signer signs for up to 92 days after the authority issued its certificate.
    builder(
      .countrySigner, "CSCA Utopia", identity, SerialNumber.countrySigner, use: use,
      until: use.upperBound + documentLife + 92, now: now)
  }

  /// - Parameters:
  ///   - use: The days in which the private key may sign, relative to `now`. The certificate is valid from the first.
  ///   - lastDay: The last day of the certificate.
  private static func builder(
    _ role: CertificateBuilder.Role, _ name: String, _ identity: Identity, _ serialNumber: UInt64, use: Range<Int>,
    until lastDay: Int, now: Date
  ) -> CertificateBuilder {
    var builder = CertificateBuilder(
      role: role, country: identity.twoLetters, organization: "Tessera specimen", commonName: name,
      serialNumber: serialNumber, notBefore: day(use.lowerBound, now), notAfter: day(lastDay, now))
    builder.privateKeyUsage = day(use.lowerBound, now)..<day(use.upperBound, now)
    builder.issuingState = identity.threeLetters
    builder.revocationListAddress = "https://www.\(identity.threeLetters.lowercased()).example/csca.crl"
    return builder
  }

  static func day(_ offset: Int, _ now: Date) -> Date {
    now.addingTimeInterval(Double(offset) * secondsPerDay)
  }
}
