import Foundation
import PassportTestSupport
import TesseraCryptography
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraVerification

/// What a revocation, a removal and a later import change.
@Suite("Changes of trust")
struct TrustChangesTests {
  private static func adding(
    _ files: [(name: String, objects: [TrustObject])], to material: TrustMaterial = TrustMaterial(),
    isVouchedFor: Bool = true
  ) throws -> (material: TrustMaterial, summaries: [TrustImportSummary]) {
    var trust = TrustImport(to: material)
    let summaries = try trust.add(
      files.map { TrustFileContent(name: $0.name, objects: $0.objects, isVouchedFor: isVouchedFor) })
    return (trust.material, summaries)
  }

  @Test("a collection does not import what only a revoked link certificate verifies", arguments: [true, false])
  func revokedLink(_ hasKeyIdentifier: Bool) throws {
    let former = try TestAuthority()
    let link = try TestAuthority(serialNumber: 5, by: former) { $0.hasAuthorityKeyIdentifier = hasKeyIdentifier }
    let next = try TestAuthority(serialNumber: 6, key: link.issuer.key)
    let objects = [link, next].map { TrustObject.certificate($0.certificate.der) }
    func importing(_ revoked: UInt64) throws -> TrustImportSummary {
      let trusted = try Self.adding([
        ("UT", [.certificate(former.certificate.der), .revocationList(try former.revocationList([revoked]))])
      ])
      let result = try Self.adding([("pkd.ldif", objects)], to: trusted.material, isVouchedFor: false)
      return try #require(result.summaries.first)
    }
    #expect(try importing(77).added.count == 2)
    // Nobody else can revoke a self-signed certificate, and this number may be another one's.
    #expect(try importing(6).added.count == 2)
    #expect {
      try importing(5)
    } throws: { error in
      guard case TrustError.refused(_, let reason) = error else { return false }
      return reason.contains("revoked")
    }
  }

  @Test("a list may carry a link certificate with equal names and without a key identifier, unless it was changed")
  func embeddedLink() throws {
    let former = try TestAuthority()
    let link = try TestAuthority(serialNumber: 2, by: former) { $0.hasAuthorityKeyIdentifier = false }
    func importing(_ certificates: [Certificate]) throws -> Int {
      let list = try link.masterList([former.certificate], embedded: certificates)
      var trust = TrustImport(to: TrustMaterial(), roots: [former.certificate])
      return try trust.add(TrustFileContent(list, name: "UT.ml")).selfSigned
    }
    #expect(try importing([link.certificate]) == 1)
    var changed = link.certificate.der
    changed[changed.count - 1] ^= 1
    #expect(throws: TrustError.listDamaged("A certificate beside that of its signer was changed.")) {
      try importing([link.certificate, Certificate(der: changed)])
    }
  }

  /// The German list of May 2026 has two certificates of the Philippines, and two of Israel, with one number.
  @Test("a list may carry a country signer whose name and number another one has, unless it was changed")
  func embeddedTwin() throws {
    let (country, twin) = (try TestAuthority(), try TestAuthority())
    #expect(
      country.certificate.serialNumber == twin.certificate.serialNumber && country.certificate != twin.certificate)
    func importing(_ embedded: Certificate) throws -> Int {
      let list = try country.masterList([twin.certificate], embedded: [embedded])
      var trust = TrustImport(to: TrustMaterial(), roots: [country.certificate])
      return try trust.add(TrustFileContent(list, name: "UT.ml")).selfSigned
    }
    #expect(try importing(country.certificate) == 1)
    var changed = country.certificate.der
    changed[changed.count - 1] ^= 1
    #expect(throws: TrustError.listDamaged("A certificate beside that of its signer was changed.")) {
      try importing(Certificate(der: changed))
    }
  }

  @Test("without its issuer, a linked certificate is one whose issuer is not known, until the issuer returns")
  func removedIssuer() throws {
    let former = try TestAuthority(name: "Former")
    let link = try TestAuthority(serialNumber: 5, by: former)
    var material = try Self.adding([
      ("former.cer", [.certificate(former.certificate.der)]), ("link.cer", [.certificate(link.certificate.der)]),
    ]).material
    func status() throws -> String? {
      material.countrySigners.first { $0.certificate == link.certificate }?.status.name
    }
    #expect(try status() == "linked")
    _ = try material.remove(source: "former.cer")
    #expect(try status() == "endorsed" && material.count == 1)
    material = try Self.adding([("former.cer", [.certificate(former.certificate.der)])], to: material).material
    #expect(try status() == "linked")
  }

  @Test("an issuer that becomes known later, and did not sign the certificate, removes it")
  func laterIssuer() throws {
    let country = try TestAuthority()
    let issuer = try TestAuthority(name: "Issuer")
    var forged = try TestAuthority(name: "Forged", by: issuer).certificate.der
    forged[forged.count - 1] ^= 1
    let list = try country.masterList([country.certificate, Certificate(der: forged)])
    let first = try Self.adding([("UT", [.certificate(country.certificate.der)]), ("UT.ml", [.masterList(list)])])
    #expect(first.summaries.last?.endorsed == 1 && first.material.count == 2)
    let second = try Self.adding([("issuer.cer", [.certificate(issuer.certificate.der)])], to: first.material)
    #expect(second.material.count == 2)
    #expect(!second.material.countrySigners.contains { $0.certificate.der == forged })
    #expect(second.summaries.first?.removed.map(\.certificate.der) == [forged])
    // In one import too, and not because of a key identifier of another country.
    let both = try Self.adding([
      ("UT", [.certificate(country.certificate.der)]), ("UT.ml", [.masterList(list)]),
      ("issuer.cer", [.certificate(issuer.certificate.der)]),
    ])
    #expect(both.summaries[1].endorsed == 0 && both.summaries[1].refused == 1 && both.material.count == 2)
  }

  @Test("a link certificate to a key of another type needs no key identifier")
  func otherKeyType() throws {
    let key = try IssuingKey(.rsa, of: .countrySigner)
    let algorithm = SignatureAlgorithm.rsaPKCS1(.sha256)
    let builder = CertificateBuilder(
      role: .countrySigner, country: "UT", organization: "Tessera test", commonName: "CSCA", serialNumber: 1,
      notBefore: TestAuthority.now - TestAuthority.day, notAfter: TestAuthority.now + TestAuthority.day)
    let former = TestAuthority(
      issuer: Issuer(
        certificate: try builder.issue(for: key, by: nil, algorithm: algorithm), key: key, algorithm: algorithm))
    let link = try TestAuthority(serialNumber: 2, by: former) { $0.hasAuthorityKeyIdentifier = false }
    #expect(link.certificate.namesItself)
    let pool = [link.certificate, former.certificate]
    #expect(SignerClassification(pool: pool).results(count: 1) == [.linked(1)])
    #expect(SignerClassification(pool: [link.certificate]).results(count: 1) == [.unknownIssuer])
  }

  @Test("an older revocation list is counted and not imported; of two with the same time, the number decides")
  func revocationListNumbers() throws {
    let country = try TestAuthority()
    let lists = try (1...3).map { try country.revocationList(Array(1...$0), number: $0, days: -1..<90) }
    let oldest = try country.revocationList([8, 9], number: 300, days: -20..<70)
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
      let files =
        order.map { ("\($0).crl", [TrustObject.revocationList(lists[$0])]) } + [
          ("old.crl", [.revocationList(oldest)])
        ]
      let result = try Self.adding([("UT", [.certificate(country.certificate.der)])] + files)
      #expect(result.material.revocationLists.map(\.list.count) == [3])
      #expect(result.summaries.last?.outdatedRevocationLists == 1)
    }
  }

  @Test("every list of an import shows what went")
  func severalLists() throws {
    let countries = try ["UT", "FR"].map { try TestAuthority($0) }
    let dropped = try countries.map { try TestAuthority($0.certificate.country ?? "", name: "Dropped") }
    func lists(_ daysAgo: Double, _ others: [TestAuthority]) throws -> [TrustObject] {
      try countries.map { country in
        let own = others.filter { $0.certificate.country == country.certificate.country }
        return .masterList(
          try country.masterList(
            ([country] + own).map(\.certificate), signedAt: TestAuthority.now - daysAgo * TestAuthority.day))
      }
    }
    let roots = ("roots", countries.map { TrustObject.certificate($0.certificate.der) })
    let first = try Self.adding([roots, ("old.ldif", lists(9, dropped))])
    let second = try Self.adding([("new.ldif", lists(1, []))], to: first.material)
    let removed = Set(second.summaries.first?.removed.compactMap(\.certificate.country) ?? [])
    #expect(removed == ["UT", "FR"] && second.material.count == 2)
  }
}
