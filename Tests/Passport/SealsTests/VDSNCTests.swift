import TesseraCore
import TesseraCryptography
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraSeals

@Suite("VDS-NC: the vectors")
struct VDSNCTests {
  static let vectors = SealVectors("vds-nc")

  @Test("All vectors are there") func count() { #expect(Self.vectors.all.count == 34) }

  /// The seals that cannot be read. Of a text that is no seal, nothing is judged.
  private static let unreadable: [String: VDSNCError] = [
    "not-a-seal": .noSeal, "bad-duplicate-key": .ambiguous(CanonicalJSONError(.duplicateName, offset: 98)),
    "not-json": .text(CanonicalJSONError(.syntax, offset: 1_072)),
    "deep": .text(CanonicalJSONError(.nesting, offset: 78)),
  ]

  @Test("A seal has the header, the signed bytes and the signature that its vector states", arguments: vectors.all)
  func evidence(_ vector: Vector) throws {
    let expected = vector["expect"]
    if let error = Self.unreadable[vector.id] {
      #expect(throws: error) { try VDSNC(Array(vector["text"].text.utf8)) }
      #expect(error.concernsSeal == (expected["outcome"].text == "notEstablished"))
      return
    }
    let seal = try VDSNC(Array(vector["text"].text.utf8))
    func header(_ name: String) -> String? { seal.content.header.first { $0.name == name }?.value }
    #expect(seal.evidence.kind == .vdsNC)
    #expect(seal.content.documentType == "NV")
    #expect(header("version") == "1")
    guard expected["canonical_sha256"].isPresent else {
      // Vectors that only say what the seal inside them is.
      #expect(["array-wrapper", "bom-and-newline"].contains(vector.id))
      return
    }
    #expect(seal.evidence.signedBytes.count == expected["canonical_bytes"].number)
    #expect(try HashAlgorithm.sha256.digest(of: seal.evidence.signedBytes) == expected["canonical_sha256"].bytes)
    #expect(seal.evidence.issuer == expected["issuer"].text)
    #expect(header("type") == expected["type"].text)
    #expect(header("algorithm") == expected["algorithm"].text)
    try checkSignature(seal, vector)
  }

  /// The signature alone, by the key of the certificate inside.
  private func checkSignature(_ seal: VDSNC, _ vector: Vector) throws {
    guard case .certificate(let der) = seal.evidence.signer else {
      #expect(["no-certificate", "bad-alg-none"].contains(vector.id))
      return
    }
    let hash = try #require(seal.evidence.hash)
    let signature = try #require(seal.evidence.signature)
    let key = try Certificate(der: der).publicKey
    // What is no r || s at all is no valid signature either.
    let isValid = (try? key.verify(signature, over: seal.evidence.signedBytes, .plainECDSA(hash))) ?? false
    #expect(isValid == vector["expect"]["signature_verifies"].flag)
  }

  /// The outcome, why, and the checks that failed.
  private struct Row: Sendable, CustomTestStringConvertible {
    let id: String
    let outcome: Outcome
    let reason: SealReason?
    let failed: [SealCheck.ID]

    init(_ id: String, _ outcome: Outcome, _ reason: SealReason? = nil, _ failed: SealCheck.ID...) {
      (self.id, self.outcome, self.reason, self.failed) = (id, outcome, reason, failed)
    }

    var testDescription: String { id }
  }

  /// Without those that are no seals.
  private static let rows: [Row] = [
    Row("pub-aus-jane-catherine", .genuine), Row("pub-aus-jane-catherine-2026", .genuine),
    Row("pub-aus-janex", .notGenuine, .data, .signature),
    Row("pub-uto-test", .notEstablished, .noCountryCertificates, .documentType),
    Row("vacc-es256", .genuine), Row("test-es384", .genuine), Row("dta-es512", .genuine),
    Row("pretty-printed", .genuine),
    Row("escaped", .genuine), Row("unknown-members", .genuine), Row("numbers-rewritten", .genuine),
    Row("array-wrapper", .genuine), Row("bom-and-newline", .genuine), Row("padding-in-base64", .genuine),
    Row("bad-name", .notGenuine, .data, .signature), Row("bad-issuer", .notGenuine, .data, .signature, .chain),
    Row("bad-number-as-string", .notGenuine, .data, .format, .signature),
    Row("bad-double-space", .notGenuine, .data, .signature), Row("bad-der-signature", .notGenuine, .data, .signature),
    Row("bad-alg", .notGenuine, .data, .signature), Row("bad-alg-none", .notEstablished, .format, .format),
    Row("bad-duplicate-key", .notEstablished, .format, .format),
    Row("expired", .notEstablished, .signerNotValid, .validity),
    Row("revoked", .notEstablished, .signerRevoked, .revocation),
    Row("untrusted", .notEstablished, .unknownIssuer, .chain),
    Row("wrong-purpose", .notGenuine, .signer, .chain, .documentType),
    Row("wrong-purpose-no-types", .notEstablished, .signerNotAccepted, .chain),
    Row("no-purpose", .notEstablished, .signerNotAccepted, .chain),
    Row("no-certificate", .notEstablished, .unknownSigner), Row("other-country", .notGenuine, .signer, .chain),
    Row("dta-over", .genuine, nil, .documentExpiry),
  ]

  @Test("Every vector that is a seal has its row")
  func allRows() {
    let others = Self.vectors.all.filter { $0["expect"]["outcome"].text == "not a seal" }.map(\.id)
    #expect(Self.rows.map(\.id) == Self.vectors.all.map(\.id).filter { !others.contains($0) })
    #expect(others == ["not-a-seal", "not-json", "deep"])
  }

  @Test("A seal has the outcome that its vector states, for its reason", arguments: rows)
  private func outcome(_ row: Row) throws {
    let vector = Self.vectors.vector(row.id)
    let report = try Self.report(row.id)
    #expect(report.outcome == row.outcome)
    // The array around a seal is refused or accepted; what is accepted is verified.
    if row.id != "array-wrapper" { #expect(row.outcome.rawValue == vector["expect"]["outcome"].text) }
    #expect(report.outcomeReason == row.reason)
    #expect(report.checks.filter { $0.status == .failed }.map(\.id) == row.failed)
  }

  static func report(_ id: String) throws -> SealReport {
    let vector = vectors.vector(id)
    return try SealReport(
      vdsNC: Array(vector["text"].text.utf8), trust: try vectors.trust(for: vector), at: vectors.time(of: vector))
  }

  @Test("What is no seal has no report", arguments: ["not-a-seal", "not-json", "deep"])
  func noReport(_ id: String) throws {
    let error = try #require(Self.unreadable[id])
    #expect(throws: error) { try Self.report(id) }
  }

  @Test("The report says whose seal it is, and what was not done")
  func headline() throws {
    #expect(
      try Self.report("pub-aus-jane-catherine").headline
        == "Genuine seal, by the certificates of AU; NOT COMPARED with a document.")
    let report = try Self.report("dta-over")
    #expect(report.kind == .vdsNC)
    #expect(report.issuer == "UTO")
    #expect(report.documentName == "digital travel authorization")
    #expect(report.headline.contains("digital travel authorization not valid any more"))
    #expect(report.signer?.certificate.subject == "CN=TN,C=UT")
    #expect(report.signer?.certificate.source == "seal")
    #expect(report.signer?.purposes == ["2.23.136.1.1.14.2"])
    #expect(report.signer?.documentTypes == ["NV"])
    #expect(report.json["fields"] != .array([]))
  }

  @Test("Nothing of a seal reaches a terminal unescaped")
  func escapedText() throws {
    let text =
      #"{"data":{"hdr":{"t":"\u001b[2J","v":1,"is":"UTO"},"msg":{"\u001b[1m\u202e":"\u0007","n":["\u009b"]}},"#
      + #""sig":{"alg":"\u001b[31m","cer":"AAAA","sigvl":"AAAA"}}"#
    let report = try SealReport(vdsNC: Array(text.utf8), trust: TrustMaterial(), at: .now)
    let scalars = report.lines.flatMap { $0.whole.unicodeScalars }
    #expect(scalars.count > 100)
    #expect(!scalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) || $0.value == 0x202E })
    #expect(!report.json.text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
  }

  // MARK: - Findings

  @Test("Revocation is checked only with a list that is current")
  func revocation() throws {
    func status(_ id: String) throws -> Check.Status? {
      try Self.report(id)[.revocation]?.status
    }
    #expect(try status("pub-aus-jane-catherine") == .passed)
    #expect(try status("pub-aus-jane-catherine-2026") == .skipped)
  }

  @Test(
    "What is unusual is a finding",
    arguments: [
      ("vacc-es256", []), ("unknown-members", [SealFinding.ID.unknownFeature]), ("array-wrapper", [.layout]),
      ("dta-over", []), ("pub-aus-jane-catherine", []),
    ])
  func findings(_ id: String, _ expected: [SealFinding.ID]) throws {
    #expect(try Self.report(id).findings.map(\.id) == expected)
  }

  @Test("An authorization before its first day, within its days, and after the last one")
  func authorization() throws {
    let vector = Self.vectors.vector("dta-es512")
    let (trust, seal) = (try Self.vectors.trust(for: vector), try VDSNC(Array(vector["text"].text.utf8)))
    func judge(_ day: String) throws -> (findings: [SealFinding.ID], expiry: Check.Status?) {
      let date = try #require(SealDate(text: day))
      let judgement = SealJudge(seal.evidence, seal.content, trust: trust, at: date.start.addingTimeInterval(43_200))
      #expect(judgement.outcome == .genuine)
      return (judgement.findings.map(\.id), judgement.checks.first { $0.id == .documentExpiry }?.status)
    }
    #expect(try judge("2026-10-31") == ([.notYetValid], .passed))
    #expect(try judge("2026-11-01") == ([], .passed))
    #expect(try judge("2027-10-31") == ([], .passed))
    #expect(try judge("2027-11-01") == ([], .failed))
  }

  @Test(
    "The passport in the session is the one that the seal names, or another one",
    arguments: [
      ("L898902C<3UTO6908061F9406236ZE184226B<<<<<14", SealComparison.differs, Outcome.notEstablished),
      ("L8988901C4XXX9001297F3301014<<<<<<<<<<<<<<06", .namesPassport, .genuine),
    ])
  func passport(_ line: String, _ comparison: SealComparison, _ outcome: Outcome) throws {
    let vector = Self.vectors.vector("dta-es512")
    let seal = try VDSNC(Array(vector["text"].text.utf8))
    let name = "P<XXXMUSTERFRAU<<ERIKA<<<<<<<<<<<<<<<<<<<<<<"
    let judgement = SealJudge(
      seal.evidence, seal.content, printed: PrintedZone(lines: [name, line], isCertain: true),
      trust: try Self.vectors.trust(for: vector), at: Self.vectors.time(of: vector))
    #expect(judgement.comparison == comparison)
    #expect(judgement.outcome == outcome)
  }
}
