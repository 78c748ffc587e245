import Foundation
import TesseraPassport
import TesseraReportPage
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@Suite("The page of a report")
struct ReportPageTests {
  @Test(
    "contains every check, file and field, and no code or address of another resource", arguments: PageDocument.allCases
  )
  func structure(_ document: PageDocument) async throws {
    let page = try await document.page()
    let html = page.html()
    for id in Check.ID.allCases { #expect(html.contains("<code>\(id.rawValue)</code>"), "\(id)") }
    for name in ["DG1", "DG2", "EF.SOD"] { #expect(html.contains("<th scope=\"row\">\(name)</th>"), "\(name)") }
    for text in [
      "<html lang=\"en\">", "<title>", "<h1>", "SPECIMEN", "TESSA MARIA", "TS0264718", "1990-02-14", "2035-06-30",
      "P&lt;UTOSPECIMEN&lt;&lt;TESSA&lt;MARIA", "<b>✓</b> matches", "tessera 1.0.0", "2026-09-21T14:13:20Z",
      "alt=\"Portrait of the holder\"",
    ] {
      #expect(html.contains(text), "\(text)")
    }
    Self.checkSelfContained(html)
  }

  static func checkSelfContained(_ html: String) {
    #expect(html.contains("content=\"default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data:\""))
    for match in html.matches(of: /\s(src|href|srcset|action|style|on[a-z]+)="([^"]*)"/) {
      #expect(match.1 == "src" && match.2.hasPrefix("data:image/"), "\(match.1)")
    }
    for word in ["<script", "<iframe", "<object", "<link", "<a ", "<base", "url(", "javascript:"] {
      #expect(!html.contains(word), "\(word)")
    }
  }

  @Test("the portrait remains a JPEG as it is, and JPEG 2000 becomes a PNG")
  func portraits() async throws {
    let jpeg = try await PageDocument.specimen.page().html()
    #expect(jpeg.contains("data:image/jpeg;base64,\(Data(SpecimenDocument.portrait).base64EncodedString())"))
    let png = try await PageDocument.jpeg2000.page().html()
    #expect(png.contains("data:image/png;base64,iVBORw0KGgo") && png.contains("width=\"207\" height=\"266\""))
    #expect(!png.contains("image/jp2"))
  }

  @Test("a portrait that EXIF turns is upright without EXIF, and one of four inks is a PNG")
  func turned() throws {
    // The orientation 6: the upright picture is 531 by 413 pixels.
    let exif: [UInt8] = [
      0xFF, 0xE1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0, 0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1,
      0, 6,
      0, 0, 0, 0, 0, 0,
    ]
    let portrait = SpecimenDocument.portrait
    func page(_ orientation: UInt8) throws -> String {
      var segment = exif
      segment[29] = orientation
      let face = FacialImage(data: portrait[..<2] + segment + portrait[2...], width: 413, height: 531)
      return try Self.page([2: DataGroup2(faces: [face]).encoded])
    }
    let turned = try page(6)
    #expect(turned.contains("data:image/png;base64,iVBORw0KGgo") && turned.contains("width=\"531\" height=\"413\""))
    let upright = try page(1)
    #expect(upright.contains("data:image/jpeg;base64,\(Data(portrait).base64EncodedString())"))
    #expect(upright.contains("width=\"413\" height=\"531\""))
    let path = "Passport/PicturesTests/Fixtures/cmyk.jpg"
    let inks = Array(try Data(contentsOf: Fixtures.tests.appendingPathComponent(path)))
    let colours = try Self.page([2: DataGroup2(faces: [FacialImage(data: inks, width: 24, height: 16)]).encoded])
    #expect(colours.contains("data:image/png;base64,iVBORw0KGgo") && colours.contains("width=\"24\" height=\"16\""))
  }

  @Test("the pictures of DG5 and DG7, and the name in the holder's script")
  func groups() async throws {
    let html = try await PageDocument.everyGroup.page().html()
    #expect(html.matches(of: /<img\s/).count == 3)
    for text in [
      "Signature or mark", "ΣΠΕΣΙΜΕΝ", "ΤΕΣΣΑ ΜΑΡΙΑ", "МОЗАИКА, ТЕССА", "CARTOGRAPHER", "2025-07-01 12:30:59",
    ] {
      #expect(html.contains(text), "\(text)")
    }
  }

  @Test("a placeholder names the reason why there is no portrait")
  func noPortrait() throws {
    let broken = FacialImage(data: Array(SpecimenDocument.portrait.prefix(100)), width: 413, height: 531)
    let cases = [
      ([2: DataGroup2(faces: [broken]).encoded], "No portrait. The image "), ([:], "The portrait was not read."),
      ([2: [0x75, 0x01, 0x00]], "DG2 is malformed: "),
    ]
    for (groups, reason) in cases {
      let html = try Self.page(groups)
      #expect(html.contains(reason) && html.contains("class=\"person\"") && !html.contains("<img"), "\(reason)")
    }
  }

  /// The page of stored files.
  private static func page(_ groups: [Int: [UInt8]]) throws -> String {
    let files = try PageDocument.document(groups).files
    let dump = DocumentDump(files: files.all.map { ($0, files[$0] ?? []) })
    return ReportPage(try Report(dump, at: PageDocument.date), dump, software: "tessera 1.0.0").html()
  }

  @Test("hostile texts of the chip stay texts, and a file of 100 kB gives a page of ordinary length")
  func hostileTexts() throws {
    let script = "<script>alert(1)</script>\"'>"
    var details = DataGroup11()
    details.fullName = "\(script)<<\u{202E}GNP\u{2066}<img src=x onerror=alert(1)>"
    details.otherNames = ["</style><style>*{display:none}"]
    details.personalSummary = String(repeating: "ABCDEFGHI ", count: 10_000)
    details.permanentAddress = "\u{0}\u{1B}[2J\u{85}<svg/onload=alert(1)>"
    let html = try Self.page([11: details.encoded])
    Self.checkSelfContained(html)
    #expect(html.utf8.count < 50_000)
    #expect(html.contains("ABCDEFGHI …") || html.contains("ABCDEFGHI…") || html.contains("…</bdi>"))
    #expect(!html.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{2066}" || $0 == "\u{0}" || $0 == "\u{1B}" })
    #expect(html.contains("script&gt;alert(1)"))
    #expect(html.matches(of: /<style>/).count == 1)
    #expect(!html.contains("onerror=alert(1)>") && !html.contains("<svg/"))
  }

  @Test(
    "Chinese, Japanese and Korean names choose their fonts by the issuing state",
    arguments: ["CHN": "zh-Hans", "JPN": "ja", "UTO": ""])
  func language(_ state: String, _ language: String) throws {
    var details = DataGroup11()
    details.fullName = "范例<<特莎"
    var content = SpecimenDocument.content
    content.issuingState = state
    let zone = try MachineReadableZone(content, format: .td3)
    let html = try Self.page([1: DataGroup1(zone: zone).encoded, 11: details.encoded])
    #expect(html.contains("<dd class=\"script\" dir=\"auto\" lang=\"\(language)\"><bdi>范例</bdi></dd>"))
  }

  @Test("the banner says the outcome, and what failed or is missing")
  func outcomes() async throws {
    let genuine = try await PageDocument.genuine.page().html()
    #expect(genuine.contains("<section class=\"verdict good\">") && genuine.contains("<h2>Genuine</h2>"))
    #expect(genuine.contains("signed by the country signer of UT, and the chip is the original."))
    let open = try await PageDocument.specimen.page().html()
    #expect(open.contains("<section class=\"verdict open\">") && open.contains("<h2>Not established</h2>"))
    #expect(open.contains("<b>Missing: </b>Trust in the signer."))
    let dump = try await PageDocument.read(.bac, try SpecimenDocument().files)
    let report = try PageDocument.changed(try Report(dump)) { object in
      object["outcome"] = "notGenuine"
      object["checks"] = (object["checks"] as? [[String: Any]] ?? []).map { $0.merging(["status": "failed"]) { $1 } }
    }
    let forged = ReportPage(report, dump, software: "").html()
    #expect(forged.contains("<section class=\"verdict bad\">") && forged.contains("<h2>Not genuine</h2>"))
    #expect(forged.contains("8 more in the list of checks."))
  }

  @Test("a chain is drawn to the country signer, or broken where it ends")
  func chains() async throws {
    let complete = try await PageDocument.genuine.page().html()
    #expect(complete.matches(of: /class="box"/).count == 3 && complete.matches(of: /signed by<\/span>/).count == 2)
    #expect(!complete.contains("connection broken"))
    let dump = try await PageDocument.read(.bac, try SpecimenDocument().files)
    let whole = try PageDocument.genuine(try Report(dump))
    for length in 0...2 {
      let report = try PageDocument.changed(whole) { object in
        object["chain"] = Array((object["chain"] as? [Any] ?? []).prefix(length))
      }
      let html = ReportPage(report, dump, software: "").html()
      #expect(html.matches(of: /class="box"/).count == length)
      #expect(html.matches(of: /connection broken/).count == 1, "\(length)")
    }
    let long = try PageDocument.changed(whole) { object in
      let chain = object["chain"] as? [Any] ?? []
      object["chain"] = Array(chain.prefix(1) + Array(repeating: chain[1], count: 20) + chain.suffix(1))
    }
    let html = ReportPage(long, dump, software: "").html()
    #expect(html.matches(of: /class="box"/).count == 4 && html.contains("18 more certificates."))
  }
}
