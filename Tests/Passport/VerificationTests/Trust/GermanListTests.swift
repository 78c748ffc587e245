import Foundation
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraVerification

/// The German master list of May 2026. The numbers are those of `data/README.md`, which were computed with a Python
/// script and with OpenSSL's programs.
@Suite struct GermanListTests {
  private static func imported(isStrict: Bool = false) throws -> (TrustMaterial, TrustImportSummary) {
    var trust = TrustImport(
      to: TrustMaterial(), roots: [try Certificate(der: PublishedFiles.root)], isStrict: isStrict)
    let summary = try trust.add(TrustFileContent(PublishedFiles.masterList, name: "DE.ml"))
    return (trust.material, summary)
  }

  private static func counts<Value: Hashable>(_ values: [Value]) -> [Value: Int] {
    values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  @Test func statuses() throws {
    let (material, summary) = try Self.imported()
    #expect(summary.certificates == 588 && summary.selfSigned == 375 && summary.linked == 201)
    #expect(summary.endorsed == 12 && summary.refusals.isEmpty && summary.countries == 112)
    #expect(summary.added.count == 588 && summary.removed.isEmpty)
    #expect(material.countrySigners.count == 588 && material.countries.count == 112)
    let statuses = Self.counts(material.countrySigners.map(\.status.name))
    #expect(statuses == ["selfSigned": 375, "linked": 201, "endorsed": 12])
    let endorsed = material.countrySigners.filter { $0.status == .endorsed }.map(\.certificate)
    #expect(
      endorsed.map { "\($0.country ?? "") \($0.serialNumber)" }.sorted() == [
        "AE 5B", "AT 0617D714D9E4471D", "BG 362D7B34331F608C", "CY 2D", "HU 85EF69A47CF112EBE6B5760A",
        "LB 112197399CA95635F2B9E685868BA4A5F3F1", "LV 27C8", "MA 112032EDB845E4EF371E2AE56495E4E05870",
        "MD 478C62BA2D45CC66", "PH C8E3A0F0020981918144", "TR 1610E3829D815E56", "UZ 36AF96D7D2D056F8",
      ])
    let names = endorsed.map(\.subject)
    for name in ["CSCA-AUSTRIA", "CSCA Latvia", "CSCA Turkey", "CSCA01005", "ID-CSCA-HUNGARY 02", "UAE CSCA 01"] {
      #expect(names.contains { $0.contains("CN=\(name)") }, "\(name)")
    }
  }

  @Test func signer() throws {
    let (material, summary) = try Self.imported()
    let list = try MasterList(PublishedFiles.masterList)
    #expect(list.malformedEntries.isEmpty && list.signer.certificate.serialNumber == "04D5")
    let signer = try #require(summary.signer)
    #expect(signer.contains("CN=CSCA Master List Signer") && signer.contains("C=DE"))
    #expect(list.signer.signedAt == (try? Date("2026-05-28T06:28:45Z", strategy: .iso8601)))
    let sources = Set(material.countrySigners.flatMap(\.sources))
    let source = try #require(sources.first)
    #expect(sources.count == 1 && source.name == "DE.ml" && source.signer == signer && source.signerCountry == "DE")
    #expect(source.signedAt == list.signer.signedAt)
  }

  @Test func strict() throws {
    let (material, summary) = try Self.imported(isStrict: true)
    #expect(summary.added.count == 576 && material.countrySigners.count == 576 && summary.endorsed == 0)
    #expect(summary.refusals.count == 12 && summary.certificates == 588)
    #expect(summary.refusals.allSatisfy { $0.reason == "Its issuer is not known." })
  }

  @Test func keys() throws {
    let certificates = try Self.imported().0.countrySigners.map(\.certificate)
    #expect(Set(certificates.map(\.publicKeyInfo)).count == 377)
    var bits: [Int: Int] = [:]
    var (named, explicit): ([String: Int], [String: Int]) = ([:], [:])
    for certificate in certificates {
      switch try certificate.publicKey.kind {
      case .rsa(let size, _): bits[size, default: 0] += 1
      case .ellipticCurve(_, let curve, _, _):
        // SEQUENCE { SEQUENCE { id-ecPublicKey, parameters } }: an object identifier, or a SEQUENCE with the numbers.
        let identifier = Array(certificate.publicKeyInfo.prefix(40))
        let end = try #require(identifier.firstRange(of: [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]))
        let name = curve ?? "unknown"
        if identifier[end.upperBound] == 0x30 {
          explicit[name, default: 0] += 1
        } else {
          named[name, default: 0] += 1
        }
      case .other: Issue.record("\(certificate.subject)")
      }
    }
    #expect(bits == [3072: 60, 2048: 1, 4096: 357, 6144: 6])
    #expect(named == ["secp384r1": 4])
    #expect(
      explicit == [
        "brainpoolP256r1": 22, "prime256v1": 20, "secp521r1": 20, "secp384r1": 29, "brainpoolP384r1": 52,
        "brainpoolP512r1": 17,
      ])
  }

  @Test func signatures() throws {
    let algorithms = try Self.imported().0.countrySigners.map { signer in
      switch try signer.certificate.signatureAlgorithm {
      case .rsaPSS: "pss"
      case .rsaPKCS1(let hash): "rsa \(hash.rawValue)"
      case .ecdsa(let hash): "ec \(hash.rawValue)"
      default: "other"
      }
    }
    #expect(
      Self.counts(algorithms) == [
        "ec SHA-1": 11, "ec SHA-256": 47, "ec SHA-384": 58, "ec SHA-512": 35, "pss": 125, "rsa SHA-1": 23,
        "rsa SHA-256": 268, "rsa SHA-384": 3, "rsa SHA-512": 18,
      ])
  }

  @Test func names() throws {
    let (material, _) = try Self.imported()
    let signers = material.countrySigners
    #expect(signers.count { $0.certificate.subjectName == $0.certificate.issuerName } == 504)
    let others = signers.filter { $0.status != .selfSigned }
    #expect(others.count == 213)
    #expect(others.count { $0.certificate.subjectName == $0.certificate.issuerName } == 129)
    let linked = try signers.compactMap { signer -> Bool? in
      guard case .linked(let fingerprint) = signer.status else { return nil }
      let issuer = try #require(material.countrySigner(fingerprint: fingerprint)).certificate
      #expect(try signer.certificate.isSigned(by: issuer.publicKey))
      return issuer.subjectName == signer.certificate.issuerName
    }
    #expect(linked.count == 201)
    #expect(linked.count { $0 } == 198)
  }

  @Test func fields() throws {
    let certificates = try Self.imported().0.countrySigners.map(\.certificate)
    let date = try Date("2026-11-21T00:00:00Z", strategy: .iso8601)
    #expect(certificates.count { $0.notAfter < date } == 17)
    #expect(certificates.count { $0.notBefore > date } == 0)
    #expect(certificates.count { $0.serialNumber.hasPrefix("-") } == 1)
    #expect(certificates.count { $0.authorityKeyIdentifier == nil } == 98)
    #expect(certificates.map(\.der.count).max() == 2299)
  }

  /// Every chain of link certificates ends, and every certificate of it verifies the one before.
  @Test func paths() throws {
    let (material, _) = try Self.imported()
    for signer in material.countrySigners {
      let path = material.path(from: signer)
      #expect(path.count < 16 && Set(path.map(\.fingerprint)).count == path.count)
    }
  }
}
