import Foundation
import PassportTestSupport
import TesseraCryptography
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVerification

/// The checks of a document signer against country signers with chosen names, keys and extensions.
@Suite("The chain of a document signer")
struct SignerChecksTests {
  @Test("a country that a user names is that very country, and not the one that signs for it")
  func namedCountries() {
    for (text, code) in [
      ("d", "DE"), ("D", "DE"), ("de", "DE"), ("DEU", "DE"), ("UTO", "UT"), ("GIB", "GI"), ("PRI", "PR"), ("NCL", "NC"),
      ("GBD", "GBD"), ("UNK", "UNK"), ("XPO", "XPO"), ("XP", "XP"), ("zz", "ZZ"), ("", ""),
    ] { #expect(CountryCode.ofCertificates(named: text) == code, "\(text)") }
  }

  private static func checks(
    _ signer: Certificate, _ countrySigners: [TestAuthority], signedAt: Date? = nil
  ) throws -> SignerChecks {
    var trust = TrustMaterial()
    for authority in countrySigners {
      trust.insert(
        try CountrySigner(
          certificate: authority.certificate, status: .selfSigned,
          sources: [CertificateSource(name: "test", importedAt: TestAuthority.now)]))
    }
    return try checks(signer, trust, signedAt: signedAt)
  }

  private static func checks(_ signer: Certificate, _ trust: TrustMaterial, signedAt: Date? = nil) throws
    -> SignerChecks
  {
    let zone = try MachineReadableZone(SpecimenDocument.content, format: .td3)
    return SignerChecks(signer, zone: zone, trust: trust, signedAt: signedAt, at: TestAuthority.now)
  }

  @Test("refuses the key purposes of web servers, and those of the ICAO for other signers")
  func purpose() throws {
    let country = try TestAuthority()
    func status(_ purpose: String?) throws -> Check.Status {
      let signer = try country.signer(.documentSigner) { $0.keyPurpose = purpose }
      return try Self.checks(signer.certificate, [country]).chain.status
    }
    for purpose in [nil, "2.5.29.37.0", "2.23.136.1.1.1", "1.2.3.4"] { #expect(try status(purpose) == .passed) }
    for purpose in ["1.3.6.1.5.5.7.3.1", "2.23.136.1.1.3", "2.23.136.1.1.8", "2.23.136.1.1.11", "2.23.136.1.1.14.2"] {
      #expect(try status(purpose) == .failed, "\(purpose)")
    }
  }

  @Test("a document type in lower case is the type")
  func documentTypes() throws {
    let country = try TestAuthority()
    for (type, isPassed) in [("p", true), ("P", true), ("P ", true), ("PM", false), (" ", false)] {
      let signer = try country.signer(.documentSigner) { $0.documentTypes = [type] }
      #expect(try (Self.checks(signer.certificate, [country]).chain.status == .passed) == isPassed, "\(type)")
    }
  }

  @Test("a country signer without a country signs for nobody; a document signer without one is of its country")
  func country() throws {
    let nobody = try TestAuthority("")
    let stray = try Self.checks(nobody.signer(.documentSigner).certificate, [nobody])
    #expect(stray.chain.status == .failed && stray.chain.detail.contains("states no country"))
    #expect(stray.proof == nil)
    let authority = try TestAuthority()
    let signer = try authority.signer(.documentSigner) { $0.country = "" }
    #expect(try Self.checks(signer.certificate, [authority]).chain.status == .passed)
    let foreign = try TestAuthority("FR")
    let other = try Self.checks(foreign.signer(.documentSigner) { $0.country = "" }.certificate, [foreign])
    #expect(other.chain.status == .failed && other.proof != nil)
  }

  @Test("an equal name accuses nobody; an equal key identifier does")
  func accusation() throws {
    let former = try TestAuthority()
    let present = try TestAuthority()
    for hasKeyIdentifier in [true, false] {
      let signer = try present.signer(.documentSigner) { $0.hasAuthorityKeyIdentifier = hasKeyIdentifier }
      let checks = try Self.checks(signer.certificate, [former])
      #expect(checks.chain.status == .failed && checks.proof == nil)
      #expect(checks.chain.detail.contains("no anchor for the document signer of UT"))
      #expect(try Self.checks(signer.certificate, [former, present]).chain.status == .passed)
    }
    var forged = try present.signer(.documentSigner).certificate.der
    forged[forged.count - 1] ^= 1
    let checks = try Self.checks(Certificate(der: forged), [present])
    #expect(checks.chain.status == .failed && checks.proof != nil)
  }

  @Test("the stated time of the signature lies in the validity of the signer, with a day of tolerance")
  func signingTime() throws {
    let country = try TestAuthority()
    let signer = try country.signer(.documentSigner, days: -30..<300).certificate
    func status(day: Double) throws -> Check.Status {
      let time = TestAuthority.now.addingTimeInterval(day * TestAuthority.day)
      return try Self.checks(signer, [country], signedAt: time).validity.status
    }
    #expect(try status(day: -30.9) == .passed && status(day: 0) == .passed && status(day: -31.1) == .failed)
    // Nobody signed in the future.
    #expect(try status(day: 0.9) == .passed && status(day: 1.1) == .failed && status(day: 301.1) == .failed)
  }

  @Test("another name of the issuer needs a certificate that states the change")
  func nameChange() throws {
    let key = try TestAuthority.newKey()
    let former = try TestAuthority(name: "Former name", key: key)
    let signer = try former.signer(.documentSigner).certificate
    #expect(try Self.checks(signer, [former]).chain.status == .passed)
    let silent = try TestAuthority(name: "New name", key: key)
    let checks = try Self.checks(signer, [silent])
    #expect(checks.chain.status == .failed && checks.proof == nil)
    #expect(checks.chain.detail.contains("no certificate states a change of the name"))
    let stated = try TestAuthority(name: "New name", key: key) { $0.statesNameChange = true }
    #expect(try Self.checks(signer, [stated]).chain.status == .passed)
    // Other string types and other case are the same name.
    let sameName = try TestAuthority(name: "FORMER name", key: key)
    #expect(try Self.checks(signer, [sameName]).chain.status == .passed)
  }

  @Test("revocation lists of the signer's country are found by name and by key, among those of others")
  func revocationLists() throws {
    let country = try TestAuthority()
    let other = try TestAuthority("FR")
    let signer = try country.signer(.documentSigner).certificate
    func trust(_ lists: [[UInt8]]) throws -> TrustMaterial {
      TrustMaterial(name: "test", countrySigners: [country, other].map(\.certificate), revocationLists: lists)
    }
    let both = try trust([try other.revocationList([7]), try country.revocationList([7])])
    #expect(RevocationCheck.lists(for: signer, issuers: [country.certificate], trust: both).map(\.country) == ["UT"])
    #expect(RevocationCheck.lists(for: signer, issuers: [], trust: both).map(\.country) == ["UT"])
    let assessment = CertificateAssessment(signer, trust: both)
    #expect(!assessment.isTrusted && assessment.detail.contains("It was revoked on"))
    // The self-signed certificate has the serial number 1.
    let sameNumber = try trust([try country.revocationList([1])])
    #expect(CertificateAssessment(country.certificate, trust: sameNumber).isTrusted)
    let unrelated = try trust([try other.revocationList([7])])
    #expect(CertificateAssessment(signer, trust: unrelated).isTrusted)
  }

  @Test("a revoked link certificate fails the revocation of the signers that it connects")
  func revokedLink() throws {
    let former = try TestAuthority(name: "Former")
    let link = try TestAuthority(serialNumber: 5, by: former)
    let signer = try link.signer(.documentSigner).certificate
    func revocation(_ serialNumber: UInt64) throws -> Check {
      let trust = TrustMaterial(
        name: "test", countrySigners: [former.certificate, link.certificate],
        revocationLists: [try former.revocationList([serialNumber])])
      let checks = try Self.checks(signer, trust)
      #expect(checks.chain.status == .passed)
      return checks.revocation
    }
    let revoked = try revocation(5)
    #expect(revoked.status == .failed && revoked.detail.contains("revoked the link certificate of"))
    #expect(try revocation(6).status == .passed)
    // The number of the anchor, which is not revoked by itself.
    #expect(try revocation(1).status == .passed)
  }

  @Test("the list of a country's present key revokes certificates of its former key")
  func formerKey() throws {
    let former = try TestAuthority()
    let present = try TestAuthority()
    let link = try TestAuthority(serialNumber: 5, by: former)
    let signer = try link.signer(.documentSigner).certificate
    let trust = TrustMaterial(
      name: "test", countrySigners: [former, present, link].map(\.certificate),
      revocationLists: [try present.revocationList([5])])
    let checks = try Self.checks(signer, trust)
    #expect(checks.revocation.status == .failed && checks.isRevoked)
  }

  /// Replaces the list of a country by one whose entry for a serial number has an OCTET STRING instead of the INTEGER.
  /// Its signature is then wrong; a country could sign such a list.
  private static func malform(_ trust: inout TrustMaterial, entry serialNumber: [UInt8]) throws {
    var stored = try #require(trust.revocationLists.first)
    let field = [0x02, UInt8(serialNumber.count)] + serialNumber
    var list = stored.list.der
    let place = try #require(list.indices.first { list[$0...].starts(with: field) })
    list[place] = 0x04
    stored = TrustMaterial.StoredRevocationList(list: try RevocationList(der: list), sources: stored.sources)
    _ = trust.remove(
      countrySigners: { _ in false }, documentSigners: { _ in false }, revocationLists: { _ in true })
    trust.insert(stored)
    #expect(trust.revocationLists == [stored])
  }

  @Test("a certificate whose basicConstraints are malformed is none of an authority")
  func malformedConstraints() throws {
    let authority = try TestAuthority().certificate
    #expect(authority.isAuthority == true)
    // basicConstraints: SEQUENCE { BOOLEAN TRUE, INTEGER 0 }, whose length is one more than there is.
    let place = try #require(authority.der.firstRange(of: [0x30, 0x06, 0x01, 0x01, 0xFF, 0x02, 0x01, 0x00])).lowerBound
    var der = authority.der
    der[place + 1] = 0x07
    #expect(try Certificate(der: der).isAuthority == false)
  }

  @Test("a malformed revocation list fails the check, and is not called a revocation")
  func malformedRevocationList() throws {
    let country = try TestAuthority()
    let signer = try country.signer(.documentSigner).certificate
    var trust = TrustMaterial(
      name: "test", countrySigners: [country.certificate], revocationLists: [try country.revocationList([99])])
    try Self.malform(&trust, entry: [99])
    let checks = try Self.checks(signer, trust)
    #expect(checks.chain.status == .passed && checks.revocation.status == .failed && !checks.isRevoked)
    #expect(checks.revocation.detail == "The certificate revocation list of UT is malformed.")
  }

  @Test("a document whose country revoked the signer, or publishes a malformed list, is not established")
  func outcomeOfRevocation() async throws {
    let (dump, trust) = try #require(try await Dumps.judged("trust-revoked"))
    let revoked = try Report(dump, trust: trust)
    #expect(revoked.outcome == .notEstablished && revoked.outcomeReason == .signerRevoked)
    let signer = try #require(try dump.securityObject().signedData.certificates.first)
    var malformed = trust
    try Self.malform(&malformed, entry: Array(signer.serialNumberBytes))
    let report = try Report(dump, trust: malformed)
    #expect(report.outcome == .notEstablished && report.outcomeReason == .revocationNotDecided)
  }

  @Test("a revocation that one list states counts, although another list is malformed", arguments: [false, true])
  func malformedAndRevoked(_ isFirst: Bool) throws {
    let former = try TestAuthority()
    let present = try TestAuthority()
    let signer = try former.signer(.documentSigner).certificate
    let certificates = [former.certificate, present.certificate]
    var trust = TrustMaterial(
      name: "test", countrySigners: certificates,
      revocationLists: [try (isFirst ? former : present).revocationList([99])])
    try Self.malform(&trust, entry: [99])
    let other = TrustMaterial(
      name: "test", countrySigners: certificates,
      revocationLists: [try (isFirst ? present : former).revocationList([7])])
    trust.insert(try #require(other.revocationLists.first))
    #expect(trust.revocationLists.count == 2)
    let checks = try Self.checks(signer, trust)
    #expect(checks.revocation.status == .failed && checks.isRevoked)
  }

  @Test("a malformed revocation list does not accuse the chip, whose EF.CardSecurity has another signer")
  func malformedAndCardSecurity() async throws {
    let profile = try #require(ChipProfile(named: "germany-2023"))
    let document = try SpecimenDocument(profile: profile)
    var dump = try await Dumps.read(document.files, profile)
    let original = try #require(try dump.content.cardSecurity?.get())
    let authority = TestAuthority(issuer: document.country.authority.issuer)
    let signer = try authority.signer(.documentSigner)
    dump.add(
      .cardSecurity,
      try SignedDataBuilder(contentType: EFCardSecurity.objectIdentifier).sign(original.signedData.content, by: signer))
    func report(_ revoked: UInt64, isMalformed: Bool = false) throws -> Report {
      var trust = TrustMaterial(
        name: "test", countrySigners: document.country.countrySigners,
        revocationLists: [try authority.revocationList([revoked])])
      if isMalformed { try Self.malform(&trust, entry: [UInt8(revoked)]) }
      return try Report(dump, trust: trust)
    }
    let good = try report(99)
    #expect(good[.paceChipAuthentication]?.status == .passed && good.outcome == .genuine)
    let revoked = try report(7)
    #expect(revoked[.paceChipAuthentication]?.status == .failed)
    let malformed = try report(99, isMalformed: true)
    #expect(malformed[.paceChipAuthentication]?.status == .skipped)
    #expect(malformed.outcome == .notEstablished && malformed.outcomeReason == .revocationNotDecided)
  }

  @Test("without its issuer too, a signer of another country or of other documents speaks against the document")
  func contradiction() throws {
    let known = try TestAuthority()
    let foreign = try TestAuthority("FR").signer(.documentSigner).certificate
    let otherType = try TestAuthority().signer(.documentSigner) { $0.documentTypes = ["I"] }.certificate
    for (signer, words) in [(foreign, "may not sign documents of the issuing state UTO"), (otherType, "types I")] {
      let checks = try Self.checks(signer, [known])
      #expect(checks.chain.status == .failed && checks.proof != nil)
      #expect(checks.chain.detail.contains(words) && checks.chain.detail.contains("no anchor"))
    }
  }

  @Test("a self-signed certificate is called that, although its name is that of another one")
  func selfSigned() throws {
    let known = try TestAuthority()
    let trust = TrustMaterial(name: "test", countrySigners: [known.certificate])
    for statedIssuer in [nil, known.certificate] {
      let other = try TestAuthority { $0.statedIssuer = statedIssuer }
      let assessment = CertificateAssessment(other.certificate, trust: trust)
      #expect(!assessment.isTrusted && assessment.detail.contains("self-signed and not imported"))
    }
  }
}
