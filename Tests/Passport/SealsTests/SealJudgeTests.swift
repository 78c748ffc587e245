import Foundation
import TesseraCryptography
import TesseraJSON
import TesseraPassport
import TestSupport
import Testing

@testable import TesseraSeals
@testable import TesseraVerification

/// The rules of the judge that no published vector shows: each changes one thing of a genuine seal.
@Suite struct SealJudgeTests {
  static let made = SealVectors("vds-made")
  static let vector = made.vector("etd-v4-p256")
  static let time = made.time(of: vector)

  static func trust() throws -> TrustMaterial { try made.trust(for: vector) }

  static func seal(_ id: String = "etd-v4-p256") throws -> VisibleDigitalSeal {
    try VisibleDigitalSeal(made.vector(id)["seal_hex"].bytes)
  }

  /// The judgement of the seal with a change of its content.
  static func judge(
    _ id: String = "etd-v4-p256", trust: TrustMaterial? = nil, printed: PrintedZone? = nil, at date: Date = time,
    _ change: (inout SealContent) -> Void = { _ in }
  ) throws -> SealJudge {
    let seal = try seal(id)
    var content = seal.content
    change(&content)
    return SealJudge(
      seal.evidence, content, printed: printed, trust: try trust ?? made.trust(for: made.vector(id)), at: date)
  }

  /// The same with other evidence.
  static func judge(
    _ kind: SealKind, issuer: String = "UTO", signer: SealSigner? = nil, signature: [UInt8]? = nil,
    hash: HashAlgorithm? = nil, fieldBits: Int? = nil, of id: String = "etd-v4-p256",
    _ change: (inout SealContent) -> Void = { _ in }
  ) throws -> SealJudge {
    let own = try seal(id).evidence
    let evidence = SealEvidence(
      kind: kind, issuer: issuer, signer: signer ?? own.signer, signedBytes: own.signedBytes,
      signature: signature ?? own.signature, hash: hash, fieldBits: fieldBits)
    var content = SealContent()
    change(&content)
    return SealJudge(evidence, content, trust: try made.trust(for: made.vector(id)), at: time)
  }

  // MARK: - Outcome

  @Test func theUnchangedSealIsGenuine() throws {
    let judge = try Self.judge()
    #expect(judge.outcome == .genuine)
    #expect(judge.reason == nil)
    #expect(judge.isSignatureVerified)
    #expect(judge.checks.map(\.status) == [.passed, .passed, .passed, .passed, .passed, .passed, .skipped, .passed])
  }

  @Test func publicKeysProveNothing() throws {
    var trust = try Self.trust()
    trust.provesAuthenticity = false
    let judge = try Self.judge(trust: trust)
    #expect(judge.outcome == .notEstablished)
    #expect(judge.reason == .publicKeys)
  }

  /// Nothing is known without country certificates, and nobody is accused by them; the signature is checked all the same.
  @Test func withoutAnchorsOnlyTheSignatureAccuses() throws {
    var trust = TrustMaterial()
    for name in ["signer-p256", "signer-other-country", "signer-bp256"] {
      trust.insert(TrustMaterial.DocumentSigner(certificate: try Self.made.certificate(name), sources: []))
    }
    for id in ["etd-v4-p256", "etd-other-country", "visa-wrong-type"] {
      let judge = try Self.judge(id, trust: trust)
      #expect(judge.outcome == .notEstablished, "\(id)")
      #expect(judge.reason == .noCountryCertificates, "\(id)")
    }
    #expect(try Self.judge("etd-bad-message", trust: trust).outcome == .notGenuine)
  }

  /// An accusation is not dropped because something else is open.
  @Test func aWrongSignatureBeatsEverythingThatIsOpen() throws {
    let judge = try Self.judge("etd-bad-message") {
      $0.problems = ["Something is missing."]
      $0.signedOn = SealDate(text: "2040-01-01")
    }
    #expect(judge.outcome == .notGenuine)
    #expect(judge.reason == .data)
    #expect(judge.status.indications == [.wrongFormat, .invalidSignature])
  }

  // MARK: - Signature

  @Test func lengthAndAlgorithm() throws {
    let signature = try Self.seal().evidence.signature ?? []
    for wrong in [[], [0], Array(signature.dropLast()), signature + [0], Array(repeating: 0, count: 70_000)] {
      let judge = try Self.judge(.vds, signature: wrong)
      #expect(judge.outcome == .notGenuine)
      #expect(judge.status.indications.contains(.wrongFormat))
    }
    // The stated algorithm counts, not the key's.
    #expect(try Self.judge(.idb, hash: .sha256).isSignatureVerified)
    #expect(try Self.judge(.idb, hash: .sha384).reason == .data)
    #expect(try Self.judge(.vdsNC, hash: .sha256, fieldBits: 256).isSignatureVerified)
    #expect(try Self.judge(.vdsNC, hash: .sha384, fieldBits: 384).reason == .data)
  }

  /// ES256 is not for brainpoolP256r1: never genuine, and no proof of anything.
  @Test func anotherCurveOfTheSameSizeIsOpen() throws {
    let judge = try Self.judge(.vds, fieldBits: 256, of: "etd-v4-bp256")
    #expect(judge.outcome == .notEstablished)
    #expect(judge.reason == .signature)
    #expect(try Self.judge(.vds, of: "etd-v4-bp256").outcome == .genuine)
  }

  @Test func anUnsignedBarcodeIsNeverGenuine() throws {
    let own = try Self.seal().evidence
    let evidence = SealEvidence(
      kind: .idb, issuer: "UTO", signer: own.signer, signedBytes: own.signedBytes, signature: nil)
    let judge = SealJudge(evidence, SealContent(), trust: try Self.trust(), at: Self.time)
    #expect(judge.outcome == .notEstablished)
    #expect(judge.reason == .notSigned)
    #expect(judge.checks.filter { $0.status == .passed }.map(\.id) == [.format])
  }

  // MARK: - Signer

  @Test func theSignerIsFoundByNameCountryAndNumber() throws {
    let trust = try Self.trust()
    func count(_ country: String, _ name: String, _ number: String) -> Int {
      SealSigner.reference(country: country, name: name, serialNumber: number).candidates(in: trust).count
    }
    #expect(count("UT", "TS", "32") == 1)
    #expect(count("ut", "ts", "0032") == 1)
    for (country, name, number) in [
      ("UT", "TS", ""), ("UT", "TS", "33"), ("UT", "TT", "32"), ("DE", "TS", "32"), ("UT", "TS", "G"),
      ("UT", "TS", "3"),
    ] { #expect(count(country, name, number) == 0, "\(country) \(name) \(number)") }
  }

  @Test func theSignerIsFoundByItsFingerprint() throws {
    let trust = try Self.trust()
    let der = try Self.made.certificate("signer-p256").der
    let end = Array(try HashAlgorithm.sha1.digest(of: der).suffix(5))
    let other = try Self.made.certificate("signer-bp256").der
    #expect(SealSigner.fingerprintEnd(end, certificate: nil).candidates(in: trust).map(\.certificate.der) == [der])
    #expect(SealSigner.fingerprintEnd(end, certificate: der).candidates(in: TrustMaterial()).count == 1)
    // A certificate in the barcode whose fingerprint is another one does not count, nor does a shorter fingerprint.
    #expect(SealSigner.fingerprintEnd(end, certificate: other).candidates(in: TrustMaterial()).isEmpty)
    #expect(SealSigner.fingerprintEnd(end, certificate: other).candidates(in: trust).map(\.certificate.der) == [der])
    #expect(SealSigner.fingerprintEnd([], certificate: der).candidates(in: trust).isEmpty)
    #expect(SealSigner.certificate(Array(repeating: 0x30, count: 1_000_000)).candidates(in: trust).isEmpty)
    #expect(SealSigner.certificate(der).candidates(in: TrustMaterial()).count == 1)
  }

  /// Two known signers have one reference, and the second one signed.
  @Test func allCandidatesAreTried() throws {
    let judge = try Self.judge("etd-v4-two-candidates", trust: Self.trust())
    #expect(judge.outcome == .notGenuine)
    #expect(judge.reason == .data)
    #expect(try Self.judge("etd-v4-two-candidates").outcome == .genuine)
  }

  @Test func purposes() throws {
    // No purpose, or another one, does not speak against a seal.
    for (id, kind) in [("etd-no-purpose", SealKind.vds), ("etd-v4-p256", .vdsNC), ("etd-no-purpose", .vdsNC)] {
      let judge = try Self.judge(kind, of: id)
      #expect(judge.outcome == .notEstablished)
      #expect(judge.reason == .signerNotAccepted)
      #expect(judge.status.indications == [.untrustedCertificate])
    }
    // A list of document types without NV does.
    let judge = try Self.judge(.vdsNC) { $0.documentType = "NV" }
    #expect(judge.outcome == .notGenuine)
    #expect(judge.reason == .signer)
    #expect(try Self.judge(.vdsNC, of: "etd-purpose-vds-nc") { $0.documentType = "NV" }.outcome == .genuine)
    // A national purpose beside that of the kind.
    let accepted = try Self.judge(.vds, of: "etd-purpose-vds-nc") { $0.nationalPurposes = ["2.23.136.1.1.14.2"] }
    #expect(accepted.outcome == .genuine)
  }

  @Test func nationalCategoriesHaveNationalPurposes() throws {
    let published = SealVectors("vds-published")
    let national = try VisibleDigitalSeal(published.vector("pub-tr3137.c_arrival")["seal_hex"].bytes)
    #expect(national.content.nationalPurposes == ["0.4.0.127.0.7.3.5.1.1"])
    #expect(try Self.seal().content.nationalPurposes.isEmpty)
  }

  // MARK: - Countries and types

  @Test func theZoneMustBeOfTheStateOfTheSeal() throws {
    let foreign = SealZone("P<D<<" + String(repeating: "<", count: 67), format: .td2)
    let judge = try Self.judge { ($0.zone, $0.documentType) = (foreign, "PU") }
    #expect(judge.outcome == .notGenuine)
    #expect(judge.reason == .signer)
    // A code that is not known proves nothing.
    let unknown = SealZone("P<QQQ" + String(repeating: "<", count: 67), format: .td2)
    #expect(try Self.judge { ($0.zone, $0.documentType) = (unknown, "PU") }.outcome == .notEstablished)
    // What nobody signed proves nothing about its signer.
    let unsigned = try Self.judge("etd-unknown-certificate") { $0.zone = foreign }
    #expect(unsigned.outcome == .notEstablished)
  }

  @Test func anIssuerThatIsNotKnownIsOpen() throws {
    let judge = try Self.judge(.vds, issuer: "QQQ")
    #expect(judge.outcome == .notEstablished)
    #expect(judge.reason == .signerNotAccepted)
    #expect(try Self.judge(.vds, issuer: "D").outcome == .notGenuine)
  }

  @Test func documentTypes() throws {
    for (type, outcome): (String?, Outcome) in [
      ("PU", .genuine), ("P", .notGenuine), ("V", .genuine), ("VC", .genuine), ("AR", .notGenuine), (nil, .genuine),
      ("<<", .notEstablished),
    ] {
      let judge = try Self.judge { $0.documentType = type }
      #expect(judge.outcome == outcome, "\(type ?? "none")")
    }
  }

  // MARK: - Time

  @Test func times() throws {
    func judge(signed: String, at day: String) throws -> SealJudge {
      let date = try #require(SealDate(text: day)).start.addingTimeInterval(43_200)
      return try Self.judge(at: date) { $0.signedOn = SealDate(text: signed) }
    }
    #expect(try judge(signed: "2026-11-27", at: "2026-11-27").outcome == .genuine)
    // One day of another time zone.
    #expect(try judge(signed: "2026-11-28", at: "2026-11-27").outcome == .genuine)
    let future = try judge(signed: "2026-12-01", at: "2026-11-27")
    #expect(future.outcome == .notEstablished)
    #expect(future.findings.map(\.id) == [.notYetValid])
    // Before the certificate was issued.
    #expect(try judge(signed: "2024-11-28", at: "2026-11-28").reason == .signerNotValid)
    // The certificate is judged at the inspection.
    let expired = try judge(signed: "2026-11-27", at: "2036-03-01")
    #expect(expired.reason == .signerNotValid)
    #expect(expired.status.indications == [.expiredCertificate])
  }

  @Test func whatASealGrantsIsNoPartOfTheOutcome() throws {
    let over = try Self.judge { $0.validUntil = SealDate(text: "2026-11-27") }
    #expect(over.outcome == .genuine)
    #expect(over.checks.last?.status == .failed)
    let today = try Self.judge { $0.validUntil = SealDate(text: "2026-11-28") }
    #expect(today.checks.last?.status == .passed)
    let later = try Self.judge { $0.validFrom = SealDate(text: "2026-11-29") }
    #expect(later.outcome == .genuine)
    #expect(later.findings.map(\.id) == [.notYetValid])
  }

  /// A damaged copy of a certificate, as an unsigned mirror may have it, proves nothing while the right one is there.
  @Test func aDamagedCopyOfTheSignersCertificateAccusesNobody() throws {
    var damaged = try Self.made.certificate("signer-p256").der
    damaged[damaged.count - 1] ^= 1
    let copy = TrustMaterial.DocumentSigner(certificate: try Certificate(der: damaged), sources: [])
    var both = try Self.trust()
    both.insert(copy)
    #expect(try Self.judge(trust: both).outcome == .genuine)
    // The right one has expired: that leaves the question open, and the copy does not answer it.
    let later = Date(timeIntervalSince1970: 2_240_000_000)
    let judge = try Self.judge(trust: both, at: later)
    #expect(judge.outcome == .notEstablished)
    #expect(judge.reason == (try Self.judge(at: later)).reason)
  }

  // MARK: - The document

  static let printed = vector["printed_mrz"].list.map(\.text)

  @Test func comparesCharacterByCharacter() throws {
    let equal = try Self.judge(printed: PrintedZone(lines: Self.printed, isCertain: true))
    #expect(equal.comparison == .equalsZone)
    let spaces = Self.printed.map { $0.replacing("<", with: " ") }
    #expect(try Self.judge(printed: PrintedZone(lines: spaces, isCertain: true)).comparison == .equalsZone)
    for line in Self.printed.indices {
      for column in 0..<36 {
        var lines = Self.printed
        var characters = Array(lines[line])
        characters[column] = characters[column] == "X" ? "Y" : "X"
        lines[line] = String(characters)
        let certain = try Self.judge(printed: PrintedZone(lines: lines, isCertain: true))
        #expect(certain.outcome == .notGenuine)
        #expect(certain.reason == .document)
        let uncertain = try Self.judge(printed: PrintedZone(lines: lines, isCertain: false))
        #expect(uncertain.outcome == .notEstablished)
        #expect(uncertain.reason == .printedZone)
      }
    }
    // What is no zone proves nothing; the zone of another format does.
    for lines in [[], [""], [Self.printed[0]], Self.printed + [""], Self.printed.map { $0 + "<" }, ["é", "é"]] {
      let judge = try Self.judge(printed: PrintedZone(lines: lines, isCertain: true))
      #expect(judge.outcome == .notEstablished)
      #expect(judge.comparison == .notCompared)
    }
    let longer = Self.printed.map { $0 + "<<<<<<<<" }
    #expect(try Self.judge(printed: PrintedZone(lines: longer, isCertain: true)).outcome == .notGenuine)
  }

  /// The end of a visa's second line is not in its seal.
  @Test func aVisaIsComparedAsFarAsItsSealGoes() throws {
    var lines = Self.made.vector("visa-a-v4-p384")["printed_mrz"].list.map(\.text)
    lines[1] = String(lines[1].prefix(28)) + "OTHER<DATA<<<<<<"
    #expect(try Self.judge("visa-a-v4-p384", printed: PrintedZone(lines: lines, isCertain: true)).outcome == .genuine)
    lines[1] = String(lines[1].prefix(27)) + "7OTHER<DATA<<<<<<"
    let judge = try Self.judge("visa-a-v4-p384", printed: PrintedZone(lines: lines, isCertain: true))
    #expect(judge.outcome == .notGenuine)
  }

  /// A visa names the passport of its holder. Another one proves nothing: the visa may be in the holder's old passport.
  @Test func aVisaNamesItsPassport() throws {
    func passport(_ number: String) -> PrintedZone {
      let digit = CheckDigit.value(of: number) ?? 0
      return PrintedZone(
        lines: [
          "P<UTOMUSTERFRAU<<ERIKA" + String(repeating: "<", count: 22),
          "\(number)\(digit)UTO9004159F2709226" + String(repeating: "<", count: 16),
        ], isCertain: true)
    }
    let own = try Self.judge("visa-a-v4-p384", printed: passport("UFO001979"))
    #expect(own.outcome == .genuine)
    #expect(own.comparison == .namesPassport)
    let other = try Self.judge("visa-a-v4-p384", printed: passport("UFO001978"))
    #expect(other.outcome == .notEstablished)
    #expect(other.reason == .otherPassport || other.reason == .printedZone)
    #expect(other.comparison == .differs)
  }

  /// Only what the seal says of the zone can be proven wrong by the printed one.
  @Test func aZoneThatTheSealCannotStandForProvesNothing() throws {
    let wrong = SealZone(Self.printed.joined().replacing("7408122", with: "7408123"), format: .td2)
    let judge = try Self.judge(printed: PrintedZone(lines: Self.printed, isCertain: true)) { $0.zone = wrong }
    #expect(judge.comparison == .differs)
    #expect(judge.outcome == .notEstablished)
    #expect(judge.reason == .machineReadableZone)
    // No zone in the seal, and no number of a passport.
    let lines = Self.printed.map { $0.replacing("7408122", with: "7408123") }
    let without = try Self.judge(printed: PrintedZone(lines: lines, isCertain: true)) { $0.zone = nil }
    #expect(without.comparison == .notCompared)
    #expect(without.outcome == .notEstablished)
    #expect(without.reason == .printedZone)
    #expect(without.status.indications == [.invalidPrintedZone])
  }

  @Test func checkDigitsOfTheSealAreChecked() throws {
    let wrong = SealZone(Self.printed.joined().replacing("7408122", with: "7408123"), format: .td2)
    let judge = try Self.judge { $0.zone = wrong }
    #expect(judge.outcome == .notEstablished)
    #expect(judge.reason == .machineReadableZone)
    #expect(judge.status.indications == [.invalidSealZone])
  }

  // MARK: - Report

  @Test func theJSONHasAllMembers() throws {
    let bytes = Self.vector["seal_hex"].bytes
    var report = try SealReport(
      visibleDigitalSeal: bytes, printed: PrintedZone(lines: Self.printed, isCertain: true), trust: Self.trust(),
      at: Self.time)
    report.symbol = SealReport.Symbol(format: "DataMatrix", corners: [[1, 2], [3, 4], [5, 6], [7, 8]])
    guard case .object(let members) = report.json else {
      Issue.record("no object")
      return
    }
    #expect(
      members.names == [
        "kind", "document", "outcome", "outcomeReason", "headline", "meaning", "comparison", "namesPassport", "issuer",
        "symbol", "header", "fields", "signer", "chain", "checks", "findings", "icao", "authority", "verifiedAt",
      ])
    #expect(members["kind"] == "vds")
    #expect(members["outcome"] == "genuine")
    #expect(members["outcomeReason"] == JSONValue.null)
    #expect(members["icao"] == ["status": "VALID", "sub": []])
    #expect(members["header"]?["reference"] == "32")
    #expect(members["header"]?["issueDate"] == "2026-02-03")
    guard case .array(let fields)? = members["fields"], case .object(let field)? = fields.first else {
      Issue.record("no fields")
      return
    }
    #expect(field.names == ["name", "label", "value", "tag", "hex"])
    #expect(field["name"] == "mrz" && field["label"] == "MRZ")
    #expect(members["signer"]?["serialNumber"] == "32")
    #expect(members["signer"]?["purposes"] == ["2.23.136.1.1.11.1"])
    #expect(members["signer"]?["documentTypes"] == ["V", "AC", "PU", "RP"])
    #expect(
      members["signer"]?["sha256"] == JSONValue.string(Self.made.file["certificates"]["signer-p256"]["sha256"].text))
    #expect(members["symbol"]?["format"] == "DataMatrix")
    #expect(members["verifiedAt"] == "2026-11-28T12:00:00Z")
    guard case .array(let checks)? = members["checks"] else {
      Issue.record("no checks")
      return
    }
    #expect(checks.compactMap { $0["id"]?.stringValue } == SealCheck.ID.allCases.map(\.rawValue))
    // It is JSON, and the same one.
    #expect(try JSONValue(text: report.json.text) == report.json)
  }

  @Test func aMalformedSealHasAWholeReport() throws {
    let bytes = Self.made.vector("bad-trailing")["seal_hex"].bytes
    let report = try SealReport(visibleDigitalSeal: bytes, trust: Self.trust(), at: Self.time)
    #expect(report.checks.map(\.id) == SealCheck.ID.allCases)
    #expect(report[.format]?.detail == "There are bytes after the signature of the seal.")
    #expect(report.checks.filter { $0.status == .skipped }.count == SealCheck.ID.allCases.count - 1)
    #expect(report.json["signer"] == JSONValue.null)
    #expect(report.json["icao"] == ["status": "INVALID", "sub": ["WRONG_FORMAT"]])
    #expect(
      report.headline
        == "CHECK FAILED: seal.format; authenticity of the seal is not established, since the seal is not as its "
        + "format demands.")
  }

  @Test func theTextHasTheSameFacts() throws {
    let bytes = Self.made.vector("visa-a-v4-p384")["seal_hex"].bytes
    let trust = try Self.made.trust(for: Self.made.vector("visa-a-v4-p384"))
    let report = try SealReport(visibleDigitalSeal: bytes, trust: trust, at: Self.time)
    let text = report.lines.map(\.whole)
    #expect(text.first == report.headline)
    for line in [
      "Seal             Visible digital seal, visa, UTO", "Passport number  UFO001979", "Entries          unlimited",
      "MRZ              VCUTOMUSTERFRAU<<ERIKA<<<<<<<<<<<<<<<<<<<<<<", "                 L8988901C4XXX9004159F2709226",
      "Visa type        43", "Signature date   2026-02-03",
    ] { #expect(text.contains(line), "\(line)") }
    for check in report.checks {
      #expect(text.contains { $0.contains(check.id.rawValue) && $0.hasSuffix(check.detail) })
    }
  }
}
