import TesseraCryptography
import TesseraInspection
import TesseraPassport
import TesseraVerification
import TesseraVirtualChip
import Testing

@testable import TesseraSeals

/// What the test country makes is right by what the reader knows of seals. Both were written without the other.
@Suite("Seals that the test country makes")
struct SpecimenSealTests {
  static let barcodes = SpecimenSealKind.all.filter { $0.symbol != nil }.map(\.name)

  static func seal(_ name: String, _ issuer: SealIssuer) throws -> SpecimenSeal {
    try issuer.seal(#require(SpecimenSealKind(named: name)))
  }

  static func report(_ seal: SpecimenSeal, _ trust: TrustMaterial, printed: PrintedZone? = nil) throws -> SealReport {
    switch seal.bytes.first {
    case 0xDC: try SealReport(visibleDigitalSeal: seal.bytes, printed: printed, trust: trust)
    case UInt8(ascii: "{"): try SealReport(vdsNC: seal.bytes, printed: printed, trust: trust)
    default: try SealReport(icaoBarcode: seal.bytes, printed: printed, trust: trust)
    }
  }

  @Test("the kinds have different names, and each is found by its name")
  func table() {
    let names = SpecimenSealKind.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { SpecimenSealKind(named: $0)?.name == $0 })
    #expect(SpecimenSealKind(named: "passport") == nil)
    #expect(SpecimenSealKind.all.allSatisfy { !$0.summary.isEmpty })
  }

  @Test("each is genuine by the test country, and nothing in it is unusual", arguments: barcodes)
  func genuine(_ name: String) throws {
    let issuer = try SealIssuer()
    let report = try Self.report(
      Self.seal(name, issuer), TrustMaterial(testCountry: issuer.country, provesAuthenticity: true))
    #expect(report.outcome == .genuine, "\(report.headline)")
    #expect(report.headline.hasPrefix("Genuine seal, by the test country of Tessera;"))
    #expect(report.findings.isEmpty)
    #expect(report.checks.allSatisfy { $0.status == .passed || $0.status == .skipped })
    let passed: [SealCheck.ID] = [.format, .signature, .chain, .revocation, .validity, .documentType]
    #expect(passed.allSatisfy { report[$0]?.status == .passed })
    #expect(report.issuer == "UTO")
    #expect(!report.documentName.isEmpty)
  }

  @Test("each is genuine by what the same country publishes in another run", arguments: barcodes)
  func later(_ name: String) throws {
    let seal = try Self.seal(name, SealIssuer())
    let other = try SpecimenDocument(profile: .bac).country
    let report = try Self.report(seal, TrustMaterial(testCountry: other, provesAuthenticity: true))
    #expect(report.outcome == .genuine, "\(report.headline)")
  }

  @Test("without the test country nothing is established, and its public keys prove nothing", arguments: barcodes)
  func open(_ name: String) throws {
    let issuer = try SealIssuer()
    let seal = try Self.seal(name, issuer)
    #expect(try Self.report(seal, TrustMaterial()).outcome == .notEstablished)
    let report = try Self.report(seal, TrustMaterial(testCountry: issuer.country))
    #expect(report.outcome == .notEstablished)
    #expect(report.outcomeReason == .publicKeys)
    #expect(report.isSound)
  }

  @Test("no byte of a visible digital seal can be changed", arguments: ["visa-a", "visa-b", "etd"])
  func changed(_ name: String) throws {
    let issuer = try SealIssuer()
    let trust = TrustMaterial(testCountry: issuer.country, provesAuthenticity: true)
    let seal = try Self.seal(name, issuer)
    for index in seal.bytes.indices.dropFirst() {
      var bytes = seal.bytes
      bytes[index] ^= 1
      #expect(try SealReport(visibleDigitalSeal: bytes, trust: trust).outcome != .genuine, "byte \(index)")
    }
  }

  @Test("the seal of a document equals its printed zone, and no other one")
  func zone() throws {
    let issuer = try SealIssuer()
    let trust = TrustMaterial(testCountry: issuer.country, provesAuthenticity: true)
    let seal = try Self.seal("etd", issuer)
    let lines = ["PUUTOSPECIMEN<<TESSA<MARIA<<<<<<<<<<", "TE02647181UTO9002144F3506307<<<<<<<4"]
    let report = try Self.report(seal, trust, printed: PrintedZone(lines: lines, isCertain: true))
    #expect(report.comparison == .equalsZone, "\(report.headline)")
    let other = [lines[0], "TE02647181UTO9002144M3506307<<<<<<<4"]
    #expect(try Self.report(seal, trust, printed: PrintedZone(lines: other, isCertain: true)).outcome == .notGenuine)
  }

  @Test("a signer has the profile of Doc 9303-12, table 8, and no other extension")
  func signers() throws {
    let country = try SealIssuer().country
    #expect(country.sealSigners.map(\.extendedKeyUsage) == [["2.23.136.1.1.11.1"], ["2.23.136.1.1.14.2"]])
    for (signer, types) in zip(country.sealSigners, [["V", "AR", "ME", "PU"], ["NV"]]) {
      #expect(signer.country == "UT")
      #expect(signer.subjectName.commonName?.count == 2)
      #expect(signer.permits(.digitalSignature) == nil)
      #expect(signer.isAuthority != true)
      #expect(signer.criticalExtensions == ["2.5.29.37"])
      #expect(signer.documentTypes == .some(types))
    }
  }

  @Test("the digital travel credential is genuine like the passport, and a copy of it")
  func credential() throws {
    let issuer = try SealIssuer()
    let credential = try TravelCredential(Self.seal("dtc", issuer).bytes)
    #expect(credential.binding == .passport)
    #expect(credential.files.map(\.file) == [.sod, .dg1, .dg2])
    let trust = TrustMaterial(testCountry: issuer.country, provesAuthenticity: true)
    let report = try Report(credential.dump, trust: trust)
    #expect(report.outcome == .genuine, "\(report.headline)")
    #expect(report.findings.contains { $0.id == .credentialCopy })
    #expect(try Report(credential.dump, trust: TrustMaterial()).outcome == .notEstablished)
  }
}
