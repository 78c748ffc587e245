import Foundation
import TesseraCryptography
import TesseraPassport
import TesseraReportPage
import TesseraSeals
import TestSupport
import Testing

@testable import TesseraVerification

@Suite("The page of a report on a seal")
struct SealPageTests {
  @Test("has the verdict and what it means, the content, every check, the chain, the barcode and the status")
  func structure() throws {
    let report = try PageSeal.visa(printed: true)
    let html = SealPage([report], software: "tessera 1.0.0").html()
    ReportPageTests.checkSelfContained(html)
    for id in SealCheck.ID.allCases { #expect(html.contains("<code>\(id.rawValue)</code>"), "\(id)") }
    for text in [
      "<h1>Report on a seal</h1>", "<section class=\"verdict good\">", "<h2>Genuine</h2>", report.meaning,
      "<title>Genuine: visa, UTO</title>", "<b>Compared: </b>", "✓ equals the printed zone",
      "VCUTOMUSTERFRAU&lt;&lt;ERIKA", "<dt>Passport number</dt><dd><bdi>UFO001979</bdi></dd>",
      "<dt>Visa type (06)</dt><dd><code>43</code></dd>", "Signer of the seal <b><bdi>UT</bdi></b>",
      "<dt>Doc 9303-13</dt><dd><bdi>VALID</bdi></dd>", "2.23.136.1.1.11.1", "of the types V",
      "DataMatrix, corners (552, 392) (728, 392)", "<dt>Signature date</dt><dd><bdi>2026-02-03</bdi></dd>",
      "2026-11-28T12:00:00Z", "tessera 1.0.0",
    ] { #expect(html.contains(text), "\(text)") }
    #expect(html.matches(of: /<main>/).count == 1)
    #expect(html.matches(of: /class="box"/).count == 2 && !html.contains("connection broken"))
  }

  @Test("says whether a comparison took place, and what was found")
  func comparisons() throws {
    let alone = SealPage([try PageSeal.visa(printed: false)], software: "").html()
    #expect(alone.contains("<b>Not compared: </b>") && alone.contains("– not compared with a document"))
    #expect(alone.contains("A copy of a seal is as good as the original"))
    let other = SealPage([try PageSeal.visa(printed: true, "ERIKA", "ERICA")], software: "").html()
    #expect(other.contains("<section class=\"verdict bad\">") && other.contains("✗ differs from the document"))
    #expect(other.contains("INVALID, SEAL_DOCUMENT_MISMATCH"))
    // What may be misread accuses nobody.
    let uncertain = SealPage([try PageSeal.visa(printed: true, "ERIKA", "ERICA", isCertain: false)], software: "")
      .html()
    #expect(uncertain.contains("✗ may differ from the document"))
    let passport = SealPage([try PageSeal.visa(printed: true, passport: "UFO001978")], software: "").html()
    #expect(passport.contains("✗ differs from the passport that was given"))
    let open = SealPage([PageSeal.made([])], software: "").html()
    #expect(open.contains("<section class=\"verdict open\">") && open.contains("connection broken"))
    #expect(open.contains("neither that the country signed these data nor that it did not"))
  }

  @Test("what cannot be read has a whole page, and says each reason once")
  func malformed() throws {
    let report = SealReport(
      malformed: "There are bytes after the signature of the seal.", kind: .vds, trust: TrustMaterial(),
      at: PageDocument.date)
    let html = SealPage([report], software: "").html()
    #expect(html.contains("<title>Not established: Visible digital seal</title>"))
    #expect(html.contains("The seal could not be read.") && html.contains("INVALID, WRONG_FORMAT"))
    #expect(html.matches(of: /<b>(Missing|Not compared): <\/b>/).count == 1)
    ReportPageTests.checkSelfContained(html)
  }

  @Test("texts of a seal stay texts, and no seal gives a page without end")
  func hostileTexts() throws {
    let script = "<script>alert(1)</script>\"'>\u{202E}\u{2066}\u{0}\u{1B}[2J"
    let fields = [
      SealField("additional", script), SealField(script, "x"), SealField("mrz", "\(script)\n\(script)"),
      SealField("unknown", "", tag: 0x50, raw: [UInt8](repeating: 0xAB, count: 40_000)),
      SealField("furtherText", String(repeating: "ABCDEFGHI ", count: 10_000)),
    ]
    let many = (0..<5_000).map { SealField("member", "\($0)") }
    let html = SealPage([PageSeal.made(fields + many, header: fields)], software: script).html()
    ReportPageTests.checkSelfContained(html)
    #expect(html.utf8.count < 60_000)
    #expect(html.contains("script&gt;alert(1)") && html.matches(of: /<style>/).count == 1)
    #expect(!html.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{2066}" || $0 == "\u{0}" || $0 == "\u{1B}" })
    #expect(html.contains("<dt>Element 50</dt>") && html.contains("ABABAB") && html.contains(" (40000 bytes)"))
    #expect(html.contains("4945 more fields are in the report&#39;s JSON."))
  }

  @Test("several seals have a sheet each, up to a limit")
  func several() throws {
    let report = try PageSeal.visa(printed: false)
    let two = SealPage([report, PageSeal.made([])], software: "").html()
    #expect(two.matches(of: /<main>/).count == 2 && two.matches(of: /<style>/).count == 1)
    let many = SealPage(Array(repeating: report, count: 100), software: "").html()
    #expect(many.matches(of: /<main>/).count == 16)
  }
}

/// Seals whose pages are looked at.
enum PageSeal {
  /// A visa of the published vectors' country, and the zone on it with a change.
  ///
  /// - Parameter passport: the number of the passport that was given.
  static func visa(
    printed: Bool, _ text: String = "", _ other: String = "", isCertain: Bool = true, passport: String? = nil
  ) throws -> SealReport {
    let url = Fixtures.tests.appendingPathComponent("Passport/SealsTests/Vectors/vds-made.json")
    let file = Vector(try JSONSerialization.jsonObject(with: Data(contentsOf: url)))
    let vector = file["vectors"].list.first { $0.id == "visa-a-v4-p384" } ?? .missing
    func certificate(_ name: Vector) throws -> Certificate {
      try Certificate(der: file["certificates"][name.text]["der_base64"].base64)
    }
    let lists = vector["revocation_lists"].list.map { file["revocation_lists"][$0.text]["der_base64"].base64 }
    var trust = TrustMaterial(
      name: "vectors", countrySigners: try vector["trusted"].list.map(certificate), revocationLists: lists)
    trust.name = nil
    for name in vector["known_certificates"].list {
      trust.insert(TrustMaterial.DocumentSigner(certificate: try certificate(name), sources: []))
    }
    let lines = vector["printed_mrz"].list.map { text.isEmpty ? $0.text : $0.text.replacing(text, with: other) }
    let zone = try passport.map { number in
      let content = MachineReadableZone.Content(
        documentCode: "P", issuingState: "UTO", documentNumber: number, nationality: "UTO", dateOfBirth: "900415",
        sex: "F", dateOfExpiry: "270922", primaryIdentifier: "MUSTERFRAU", secondaryIdentifier: "ERIKA")
      return try MachineReadableZone(content, format: .td3)
    }
    var report = try SealReport(
      visibleDigitalSeal: vector["seal_hex"].bytes,
      printed: printed ? PrintedZone(lines: lines, isCertain: isCertain) : nil, passport: zone, trust: trust,
      at: try Date(vector["at"].text, strategy: .iso8601))
    report.symbol = SealReport.Symbol(
      format: "DataMatrix", corners: [[552, 392], [728, 392], [728, 568], [552, 568]])
    return report
  }

  /// A seal of which nothing is known, with these fields.
  static func made(_ fields: [SealField], header: [SealField] = []) -> SealReport {
    var content = SealContent()
    (content.fields, content.header) = (fields, header)
    let evidence = SealEvidence(
      kind: .vdsNC, issuer: "UTO", signer: .unresolvable("Nobody is named."), signedBytes: [], signature: [0])
    return SealReport(evidence, content, trust: TrustMaterial(), at: PageDocument.date)
  }
}

extension RealPrograms {
  @Suite(
    "Pages of seals in Chromium", .serialized,
    .enabled(if: Chromium.isEnabled, "Chromium is missing: apt-get install chromium"))
  struct SealChromiumTests {
    @Test("a seal prints on one sheet of A4, two on two, and no window scrolls sideways")
    func page() async throws {
      let visa = try PageSeal.visa(printed: true)
      #expect(try await Chromium(page: SealPage([visa], software: "tessera 1.0.0").html()).printedPages() == 1)
      let bytes = SealField("unknown", "", tag: 0x50, raw: [UInt8](repeating: 0xAB, count: 2_000))
      let two = try Chromium(page: SealPage([visa, PageSeal.made([bytes])], software: "tessera 1.0.0").html())
      #expect(try await two.printedPages() == 2)
      for (scheme, width) in [(Chromium.Scheme.light, 1024), (.dark, 1024), (.light, 520)] {
        let picture = try await two.screenshot(scheme, width: width, height: 3_600)
        #expect(picture.colours(picture.width - 8..<picture.width, 0..<picture.height).count == 1)
        #expect(picture.hasMoreColours(than: 100))
      }
    }
  }
}
