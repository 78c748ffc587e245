import Foundation
import TesseraReportPage

@testable import TesseraCryptography
@testable import TesseraSeals
@testable import TesseraVerification

/// The content of a barcode, or the file of a digital travel credential: every parser of seals, and the judge with the
/// certificates of the vectors' countries.
enum SealsHarness: Harness {
  static let name = "seals"

  /// Vectors of each kind, with each curve, layout and kind of document.
  private static let vectors = [
    "etd-v4-p256", "etd-v4-p521", "visa-a-v4-p384", "visa-b-v3-p224", "etd-v4-plain-length-80", "etd-v3-length-80",
    "bad-missing-mrz", "pub-tr3137.c_arrival", "pub-tr3137.e_rp", "pub-vdstools.socialinsurance", "pub-kurz.visa_icao",
    "pub-vdstools.administrativedocumentv9withdates", "vacc-es256", "test-es384", "dta-es512", "array-wrapper",
    "unknown-members", "pub-uto-test", "idb-date4", "idb-date3", "idb-zip", "idb-embedded", "idb-bp512",
    "idb-unsigned-zip", "pub-idb-12", "pub-idb-supplementarysheetresidencepermit", "dtc-type1",
  ]

  static func seeds() throws -> [String: [UInt8]] { try SealVectorFiles.contents(of: vectors) }

  static func test(_ input: [UInt8]) throws {
    let known = try KnownSeals.all.get()
    if TravelCredential.isCredential(input) { return try known.checkCredential(input) }
    // The number of bytes tells whether the zone on the document was read, and surely.
    let printed = input.count % 3 == 0 ? nil : PrintedZone(lines: known.printed, isCertain: input.count % 3 == 1)
    let digitalSeal = try? SealReport(visibleDigitalSeal: input, printed: printed, trust: known.trust, at: known.date)
    known.check(digitalSeal, (try? VisibleDigitalSeal.readings(of: input))?.map(\.signedBytes) ?? [])
    let barcode = try? SealReport(icaoBarcode: input, printed: printed, trust: known.trust, at: known.date)
    known.check(barcode, (try? IDBBarcode(input)).map { [$0.evidence.signedBytes] } ?? [])
    let text = try? SealReport(vdsNC: input, printed: printed, trust: known.trust, at: known.date)
    known.check(text, (try? VDSNC(input)).map { [$0.evidence.signedBytes] } ?? [])
  }
}

/// The texts of VDS-NC, and other JSON: the form over which they are signed.
enum CanonicalHarness: Harness {
  static let name = "canonical"

  static func seeds() throws -> [String: [UInt8]] {
    let samples = [
      "numbers": #"[1.0,-0,1e21,1e-7,333333333.33333329,4.50,2e-3,0.000000000000000000000000001,9007199254740993]"#,
      "names": #"{"\ufb33":1,"\ud83d\ude00":2,"aa":{"b":[],"a":{}},"a":"\u0000\u001f\u007f\/\"\\","":null,"é":true}"#,
      "nesting": String(repeating: "[", count: 32) + String(repeating: "]", count: 32),
      "lone-surrogate": #"["\ud800"]"#, "duplicate": #"{"a":1,"\u0061":2}"#, "large-number": "[1e400]",
      "digits": "0." + String(repeating: "3", count: 400) + "e5",
    ]
    let vectors = try SealVectorFiles.contents(of: ["vacc-es256", "pretty-printed", "escaped", "numbers-rewritten"])
    return samples.mapValues { Array($0.utf8) }.merging(vectors) { $1 }
  }

  static func test(_ input: [UInt8]) throws {
    let json = try StrictJSON(input)
    let form: [UInt8]
    do {
      form = try CanonicalJSON.form(ofText: input)
    } catch {
      property(error == json.defect, "a text without a form is no JSON or has a defect")
      return
    }
    property(json.defect == nil, "a form is of a text without a defect")
    property(String(validating: form, as: UTF8.self) != nil, "a form is UTF-8")
    property((try? CanonicalJSON.form(of: json.value)) == form, "a form is that of the value")
    // The parser for messages reads numbers and escapes in the same way.
    if let value = try? JSONValue(text: String(decoding: input, as: UTF8.self)) {
      property((try? CanonicalJSON.form(of: value)) == form, "both parsers read one value")
    }
    // The digits of a number can be more in the form.
    guard form.count <= StrictJSON.maximumLength else { return }
    property((try? CanonicalJSON.form(ofText: form)) == form, "a form is its own form")
  }
}

/// What is known of countries, and the content that these signed.
private struct KnownSeals: Sendable {
  let trust: TrustMaterial
  let date: Date
  /// The zone that is printed beside most seals of the vectors.
  let printed: [String]
  private let signed: Set<[UInt8]>
  /// The data groups of the genuine credentials: the number of each, and its bytes.
  private let groups: Set<[UInt8]>
  /// Of the pages of all vectors.
  private let tags: Set<String>

  static let all = Result { try KnownSeals() }

  private init() throws {
    let files = try SealVectorFiles.all
    date = try Date("2026-11-28T12:00:00Z", strategy: .iso8601)
    printed = files.lazy.map(\.printed).first { !$0.isEmpty } ?? []
    var trust = try SealVectorFiles.trust()
    trust.name = nil
    self.trust = trust
    var (signed, groups, tags): (Set<[UInt8]>, Set<[UInt8]>, Set<String>) = ([], [], [])
    for vector in files {
      if let credential = try? TravelCredential(vector.content) {
        let report = try Report(credential.dump, trust: trust, at: date)
        if report.outcome == .genuine { groups.formUnion(Self.groups(of: credential)) }
        continue
      }
      guard let report = Self.report(vector.content, trust, date) else { continue }
      tags.formUnion(Self.tags(of: SealPage([report], software: "tessera").html()))
      if report.outcome == .genuine { signed.formUnion(Self.signedBytes(vector.content)) }
    }
    (self.signed, self.groups, self.tags) = (signed, groups, tags)
    property(signed.count >= 20 && !groups.isEmpty, "the vectors have genuine seals: \(signed.count)")
  }

  private static func report(_ content: [UInt8], _ trust: TrustMaterial, _ date: Date) -> SealReport? {
    (try? SealReport(visibleDigitalSeal: content, trust: trust, at: date))
      ?? (try? SealReport(icaoBarcode: content, trust: trust, at: date))
      ?? (try? SealReport(vdsNC: content, trust: trust, at: date))
  }

  private static func signedBytes(_ content: [UInt8]) -> [[UInt8]] {
    let readings = (try? VisibleDigitalSeal.readings(of: content))?.map(\.signedBytes) ?? []
    let texts = [(try? IDBBarcode(content))?.evidence, (try? VDSNC(content))?.evidence].compactMap(\.self)
    return readings + texts.map(\.signedBytes)
  }

  private static func groups(of credential: TravelCredential) -> [[UInt8]] {
    credential.files.filter { $0.file != .sod }.map { [UInt8($0.file.dataGroup ?? 0)] + $0.bytes }
  }

  /// The beginnings of all elements of a page.
  private static func tags(of page: String) -> Set<String> {
    Set(
      page.utf8.split(separator: UInt8(ascii: "<")).map { part in
        String(decoding: part.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ">") }, as: UTF8.self)
      })
  }

  // MARK: - Properties

  /// - Parameter signed: what the seal's signature is over, by each way to read it.
  func check(_ report: SealReport?, _ signed: [[UInt8]]) {
    guard let report else { return }
    property(
      report.outcome != .genuine || signed.contains(where: self.signed.contains), "only what was signed is genuine")
    property(report.checks.map(\.id) == SealCheck.ID.allCases, "a report has all checks in their order")
    property((report.outcome == .genuine) == (report.outcomeReason == nil), "what is not genuine has a reason")
    property(report.status.isValid == (report.outcome == .genuine), "both words for the outcome agree")
    property(report.lines.allSatisfy { Self.isPrintable($0.whole) }, "a terminal gets no control character")
    let json = report.json.text
    property(Self.isPrintable(json), "JSON has no control character")
    property((try? JSONValue(text: json)) != nil, "a report has a JSON form")
    // That of what cannot be read has no text of the seal.
    guard !report.header.isEmpty else { return }
    let page = SealPage([report], software: "tessera").html()
    property(page.unicodeScalars.allSatisfy { $0 == "\n" || Self.isPrintable($0) }, "a page has no control character")
    property(Self.tags(of: page).isSubset(of: tags), "a page has no element of a seal")
  }

  func checkCredential(_ input: [UInt8]) throws {
    let credential = try TravelCredential(input)
    let report = try Report(credential.dump, trust: trust, at: date)
    property(
      report.outcome != .genuine || groups.isSuperset(of: Self.groups(of: credential)),
      "only what was signed is genuine")
    property((try? report.json()) != nil, "a report has a JSON form")
  }

  private static func isPrintable(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isPrintable) }

  /// Neither a control character nor one that changes the writing direction of what follows.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
    default: true
    }
  }
}
