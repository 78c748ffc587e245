import Foundation
import PassportTestSupport
import TesseraArchive
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraCryptography
@testable import TesseraVerification

/// Ways into the trust store that only look like published files.
@Suite("Files that must not make their author trusted")
struct TrustAttackTests {
  private static func importing(
    _ files: [(name: String, bytes: [UInt8])], to material: TrustMaterial = TrustMaterial(), roots: [Certificate] = []
  ) throws -> (material: TrustMaterial, summaries: [TrustImportSummary]) {
    var trust = TrustImport(to: material, roots: roots)
    let summaries = try trust.add(files.map { try TrustFileContent($0.bytes, name: $0.name) })
    return (trust.material, summaries)
  }

  private static func reasons(_ summary: TrustImportSummary?) -> String {
    summary?.refusals.map(\.reason).joined(separator: " ") ?? ""
  }

  @Test("a document signer cannot issue the certificate of a list signer")
  func documentSigner() throws {
    let country = try TestAuthority()
    let documentSigner = TestAuthority(issuer: try country.signer(.documentSigner))
    let forged = try TestAuthority("FR", name: "Forged")
    let list = try documentSigner.masterList([forged.certificate], embedded: [documentSigner.certificate])
    #expect(throws: TrustError.self) { try Self.importing([("file", list)], roots: [country.certificate]) }
  }

  @Test("a country cannot issue the certificate of another country's list signer")
  func otherCountry() throws {
    let country = try TestAuthority()
    let other = try TestAuthority("FR")
    // The signer's certificate says UT, its issuer is of FR.
    let builder = CertificateBuilder(
      role: .masterListSigner, country: "UT", organization: "Tessera test", commonName: "Signer", serialNumber: 5,
      notBefore: TestAuthority.now - 86_400, notAfter: TestAuthority.now + 86_400)
    let key = try TestAuthority.newKey()
    let signer = Issuer(
      certificate: try builder.issue(for: key, by: other.issuer), key: key, algorithm: .ecdsa(.sha256))
    let list = try other.masterList([other.certificate], by: signer)
    let trusted = try Self.importing([("UT.cer", country.certificate.der), ("FR.cer", other.certificate.der)]).material
    #expect(throws: TrustError.self) { try Self.importing([("file", list)], to: trusted) }
  }

  @Test("nobody vouches for the certificates in an archive, a collection or a download, or with a named root")
  func loose() throws {
    let country = try TestAuthority()
    let forged = try TestAuthority("FR", name: "Forged")
    let bytes = forged.certificate.der
    let base64 = Data(bytes).base64EncodedString()
    let ldif = Array("dn: c=FR\ncACertificate;binary:: \(base64)\n".utf8)
    let archive = try ZipArchive.write([ZipEntry(name: "a.cer", bytes: bytes)])
    for file in [("file", ldif), ("file.zip", archive), ("https://example.org/a.cer", bytes)] {
      #expect(throws: TrustError.self, "\(file.0)") { try Self.importing([file]) }
    }
    #expect(throws: TrustError.self) { try Self.importing([("file", bytes)], roots: [country.certificate]) }
    #expect(throws: TrustError.notAList(name: "DE.ml")) { try Self.importing([("DE.ml", bytes)]) }
    // Beside a genuine list, only the list is accepted.
    let list = try country.masterList([country.certificate])
    let both = try ZipArchive.write([ZipEntry(name: "a.ml", bytes: list), ZipEntry(name: "x.cer", bytes: bytes)])
    let result = try Self.importing([("both.zip", both)], roots: [country.certificate])
    #expect(result.material.countries == ["UT"] && result.summaries.first?.refusals.count == 1)
    // A certificate in a file of its own is the decision of whoever names it.
    #expect(try Self.importing([("FR.cer", bytes)]).material.countries == ["FR"])
    // A link certificate of a trusted country needs no decision.
    let next = try TestAuthority(serialNumber: 2, by: country)
    let linked = try Self.importing([("https://example.org/n.cer", next.certificate.der)], roots: [country.certificate])
    #expect(linked.material.countrySigners.map(\.status) == [.endorsed] || !linked.material.isEmpty)
  }

  @Test("a revocation list of another country is refused, and one of the future")
  func revocationLists() throws {
    let country = try TestAuthority(name: "Same")
    let other = try TestAuthority("FR", name: "Same")
    let trusted = try Self.importing([
      ("UT.cer", country.certificate.der), ("FR.cer", other.certificate.der),
      ("UT.crl", try country.revocationList([7])),
    ]).material
    #expect(trusted.revocationLists.map(\.list.country) == ["UT"])
    #expect(throws: TrustError.self) {
      try Self.importing([("future.crl", try country.revocationList(days: 10..<20))], to: trusted)
    }
    let newer = try Self.importing([("FR.crl", try other.revocationList([], number: 9, days: -0.5..<90))], to: trusted)
    let kept = newer.material.revocationLists.first { $0.list.country == "UT" }
    #expect(kept?.list.count == 1 && newer.material.revocationLists.count == 2)
  }

  @Test("an older list does not bring back what a newer one removed")
  func rollback() throws {
    let country = try TestAuthority()
    let dropped = try TestAuthority("FR")
    func list(_ certificates: [Certificate], daysAgo: Double) throws -> [UInt8] {
      try country.masterList(certificates, signedAt: TestAuthority.now - daysAgo * 86_400)
    }
    let newer = try list([country.certificate], daysAgo: 1)
    let older = try list([country.certificate, dropped.certificate], daysAgo: 20)
    let trusted = try Self.importing([("new.ml", newer)], roots: [country.certificate]).material
    let signer = "CN=Signer 7,O=Tessera test,C=UT"
    #expect(throws: TrustError.olderList(signer: signer)) { try Self.importing([("old.ml", older)], to: trusted) }
    #expect(try Self.importing([("new.ml", newer)], to: trusted).material.countries == ["UT"])
    // In one import, the newest counts.
    let both = try Self.importing([("new.ml", newer), ("old.ml", older)], roots: [country.certificate])
    #expect(both.material.countries == ["UT"])
  }

  @Test("a revoked signer of a list is refused")
  func revokedSigner() throws {
    let country = try TestAuthority()
    let signer = try country.signer(serialNumber: 7)
    let list = try country.masterList([country.certificate], by: signer)
    let files: [(name: String, bytes: [UInt8])] = [
      ("UT.ml", list), ("UT.crl", try country.revocationList([7])), ("UT.cer", country.certificate.der),
    ]
    var trust = TrustImport(to: TrustMaterial())
    #expect(
      throws: TrustError.inFile(
        "UT.ml", .listDamaged("Its signer was revoked, or a certificate that leads to its signer was."))
    ) {
      try trust.add(files.map { try TrustFileContent($0.bytes, name: $0.name) })
    }
    #expect(trust.material.isEmpty)
  }

  @Test("a signer of a list is refused if the country revoked it after it had changed its key and its name")
  func revokedSignerOfFormerName() throws {
    let former = try TestAuthority(name: "CSCA 1")
    let present = try TestAuthority(name: "CSCA 2", serialNumber: 2)
    let list = try former.masterList([former.certificate], by: former.signer(serialNumber: 7))
    for revoked: [UInt64] in [[7], [8]] {
      let files: [(name: String, bytes: [UInt8])] = [
        ("UT.ml", list), ("UT.crl", try present.revocationList(revoked)), ("1.cer", former.certificate.der),
        ("2.cer", present.certificate.der),
      ]
      var trust = TrustImport(to: TrustMaterial())
      let result = Result { try trust.add(files.map { try TrustFileContent($0.bytes, name: $0.name) }) }
      #expect(((try? result.get()) == nil) == (revoked == [7]))
    }
  }

  @Test("files can be named in any order")
  func order() throws {
    let country = try TestAuthority()
    let signer = try country.signer(.documentSigner, serialNumber: 3)
    let next = try TestAuthority(serialNumber: 2, by: country)
    let files: [(name: String, bytes: [UInt8])] = [
      ("UT.crl", try country.revocationList()), ("signer.cer", signer.certificate.der),
      ("link.cer", next.certificate.der), ("UT.ml", try country.masterList([country.certificate])),
    ]
    let result = try Self.importing(files, roots: [country.certificate])
    #expect(result.material.revocationLists.count == 1 && result.material.documentSigners.count == 1)
    #expect(result.summaries.allSatisfy { $0.refusals.isEmpty })
    #expect(Set(result.material.countrySigners.map(\.status.name)) == ["selfSigned", "linked"])
    // A link certificate whose parent is imported later is no longer merely endorsed.
    let first = try Self.importing([("link.cer", next.certificate.der)]).material
    #expect(first.countrySigners.map(\.status) == [.endorsed])
    let second = try Self.importing([("UT.cer", country.certificate.der)], to: first).material
    #expect(Set(second.countrySigners.map(\.status.name)) == ["selfSigned", "linked"])
  }

  @Test("a damaged self-signed certificate, and an unreadable line of LDIF, are refused")
  func damaged() throws {
    let country = try TestAuthority()
    var bytes = country.certificate.der
    bytes[bytes.count - 1] ^= 1
    #expect(throws: TrustError.self) { try Self.importing([("file", bytes)]) }
    let good = Data(try country.revocationList()).base64EncodedString()
    let ldif =
      "dn: c=UT\ncertificateRevocationList;binary:: \(good)\n\ndn: c=FR\ncertificateRevocationList;binary:: MAA=\n"
    let trusted = try Self.importing([("UT.cer", country.certificate.der)]).material
    let result = try Self.importing([("pkd.ldif", Array(ldif.utf8))], to: trusted)
    #expect(result.material.revocationLists.count == 1)
    #expect(result.summaries.first?.refusals.map(\.subject) == ["line 5"], "\(Self.reasons(result.summaries.first))")
  }
}
