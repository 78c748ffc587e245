import TesseraPassport
import TestSupport
import Testing

@testable import TesseraSeals
@testable import TesseraVerification

@Suite struct VDSParsingTests {
  static let made = SealVectors("vds-made").all
  static let published = SealVectors("vds-published").all
  static let readable = (made + published).filter { $0["expect"]["parsed"].isPresent && !unsigned.contains($0.id) }
  static let unreadable = (made + published).filter { $0["expect"]["parse_error"].isPresent }
  /// Has features, and no signature at all.
  static let unsigned = ["pub-vdstools.administrativedocumentv9withdates"]

  @Test func theVectorsAreThere() {
    #expect(Self.made.count == 39)
    #expect(Self.published.count == 23)
    #expect(Self.readable.count == 55)
    #expect(Self.unreadable.count == 6)
  }

  @Test(arguments: readable) func header(_ vector: Vector) throws {
    let seal = try VisibleDigitalSeal(vector["seal_hex"].bytes)
    let parsed = vector["expect"]["parsed"]
    #expect(Int(seal.header.versionByte) == parsed["version_byte"].number)
    #expect(seal.header.version == parsed["version"].number)
    #expect(seal.header.country == parsed["country"].text)
    #expect(seal.header.signerCountry + seal.header.signerName == parsed["signer"].text)
    #expect(seal.header.reference == parsed["reference"].text)
    #expect(seal.header.issueDate?.description ?? "" == Self.date(parsed["issue_date"]))
    #expect(seal.header.signatureDate?.description ?? "" == Self.date(parsed["signature_date"]))
    #expect(Int(seal.header.definition) == parsed["definition"].number)
    #expect(Int(seal.header.category) == parsed["category"].number)
  }

  /// The vectors have the text of a date that does not exist.
  private static func date(_ vector: Vector) -> String {
    SealDate(text: vector.text) == nil ? "" : vector.text
  }

  @Test(arguments: readable) func features(_ vector: Vector) throws {
    let seal = try VisibleDigitalSeal(vector["seal_hex"].bytes)
    let parsed = vector["expect"]["parsed"]
    let expected = parsed["features"].list.map { VDSFeature(tag: $0["tag"].bytes.first ?? 0, value: $0["hex"].bytes) }
    #expect(seal.features == expected)
    #expect(seal.signature == parsed["signature_hex"].bytes)
    #expect(seal.signedBytes.count == parsed["signed_bytes"].number)
    #expect(seal.signedBytes == Array(vector["seal_hex"].bytes.prefix(seal.signedBytes.count)))
  }

  @Test(arguments: readable) func deviationsAreNamed(_ vector: Vector) throws {
    let seal = try VisibleDigitalSeal(vector["seal_hex"].bytes)
    let deviating = ["etd-v4-plain-length-80", "pub-kurz.visa_icao", "pub-kurz.vehicle_vignette"]
    #expect((seal.deviation != nil) == (deviating.contains(vector.id) || vector["expect"]["deviation"].isPresent))
  }

  @Test(arguments: readable.filter { !$0["expect"]["fields"].keys.isEmpty }) func fields(_ vector: Vector) throws {
    let content = try VisibleDigitalSeal(vector["seal_hex"].bytes).content
    let expected = vector["expect"]["fields"]
    func value(_ name: String) -> String? { content.fields.first { $0.name == name }?.value }
    for key in expected.keys {
      let text = expected[key].text
      switch key {
      case "mrz":
        #expect(content.zone?.lines == expected[key].list.map(\.text))
        #expect(value("mrz") == expected[key].list.map(\.text).joined(separator: "\n"))
      case "entries": #expect(value(key) == (expected[key].number == 0 ? "unlimited" : "\(expected[key].number)"))
      case "entries_meaning": #expect(value("entries") == text)
      case "duration":
        let days = expected[key]["days"].number
        let months = expected[key]["months"].number
        #expect(value("stay")?.hasPrefix("\(days) day") == true)
        #expect(value("stay")?.contains(", \(months) month") == true)
        #expect(value("stay")?.hasSuffix(", \(expected[key]["years"].number) years") == true)
      case "passport_number":
        #expect(value("passportNumber") == text)
        #expect(content.passportNumber == text)
      case "visa_type": #expect(content.fields.first { $0.name == "visaType" }?.hexadecimal == text.uppercased())
      case "additional" where text == "\u{FFFD}":
        #expect(content.fields.first { $0.name == key }?.hexadecimal == "BB")
      case "azr": #expect(value("azrNumber") == text)
      case "document_number": #expect(value("documentNumber") == text)
      case "ags": #expect(value("municipality") == text)
      case "address_raw": #expect(value("address") == text)
      case "first_name": #expect(value("firstName") == text)
      case "birth_name": #expect(value("birthName") == text)
      case "sheet_number": #expect(value("sheetNumber") == text)
      case "additional", "number", "surname": #expect(value(key) == text)
      default: Issue.record("the field \(key) is not compared")
      }
    }
  }

  /// What the vectors call a document, and what the report calls it.
  @Test(arguments: readable.filter { $0["expect"]["profile"].isPresent }) func profiles(_ vector: Vector) throws {
    let name = try VisibleDigitalSeal(vector["seal_hex"].bytes).content.documentName
    let names = [
      "emergency travel document (ICAO)": "emergency travel document", "visa (ICAO)": "visa",
      "arrival attestation (DE)": "arrival attestation", "residence permit (DE)": "residence permit",
      "address sticker, identity card (DE)": "address sticker of an identity card",
      "social insurance card (DE)": "social insurance card", "supplementary sheet (DE)": "supplementary sheet",
      "unknown or private (definition F4, category 8F)": "permanent residence permit",
      "unknown or private (definition 01, category C8)": "administrative document",
      "unknown or private (definition 7D, category 01)": "",
    ]
    #expect(name == names[vector["expect"]["profile"].text])
  }

  @Test(arguments: unreadable) func refuses(_ vector: Vector) throws {
    let errors: [String: VDSError] = [
      "bad-magic": .notASeal, "bad-header-cut": .notASeal, "bad-version": .malformed(.version),
      "bad-truncated-signature": .malformed(.signature), "bad-no-signature": .malformed(.signature),
      "bad-trailing": .malformed(.end),
    ]
    let error = try #require(errors[vector.id])
    #expect(throws: error) { try VisibleDigitalSeal(vector["seal_hex"].bytes) }
  }

  @Test(arguments: unsigned) func refusesWithoutASignature(_ id: String) {
    let bytes = SealVectors("vds-published").vector(id)["seal_hex"].bytes
    #expect(!bytes.isEmpty)
    #expect(throws: VDSError.malformed(.signature)) { try VisibleDigitalSeal(bytes) }
  }

  /// German administrative documents are shown, and never established: their signer is under no country signer.
  @Test func administrativeDocumentsAreShown() throws {
    let bytes = SealVectors("vds-published").vector("pub-vdstools.meldebescheinigung")["seal_hex"].bytes
    let report = try SealReport(visibleDigitalSeal: bytes, trust: TrustMaterial(), at: .now)
    #expect(report.documentName == "administrative document")
    #expect(report.outcome == .notEstablished)
    #expect(report.status.indications == [.untrustedCertificate])
    #expect(report[.signature]?.detail.contains("BSI TR-03171") == true)
    #expect(report.fields.contains { $0.name == "content" && $0.value == "Mustermann" })
    #expect(report.findings.isEmpty)
  }

  /// What deviates is found by the standard's own words: nothing missing, nothing twice, nothing too short.
  @Test(arguments: [
    (elements: "020101", problem: "The element 02 is malformed."),
    (elements: "", problem: "The mandatory element 04 is missing."),
    (elements: "0403000000" + "0403000000", problem: "The element 04 occurs twice."),
    (elements: "0403FF0000", problem: "The element 04 is malformed."),
    (elements: "030100", problem: "The seal has no machine readable zone."),
    (elements: "0506FFFFFFFFFFFF", problem: "The element 05 is malformed."),
  ]) func problems(_ example: (elements: String, problem: String)) throws {
    let bytes = try #require([UInt8](hexadecimal: example.elements))
    let content = VDSContent(try VDSFeature.list(bytes, .der), .visa)
    #expect(content.problems.contains(example.problem))
  }

  // MARK: - Elements

  @Test func lengths() throws {
    let long = [UInt8](repeating: 7, count: 200)
    #expect(try VDSFeature.list([1, 0x81, 200] + long, .der) == [VDSFeature(tag: 1, value: long)])
    #expect(try VDSFeature.list([1, 200] + long, .plain) == [VDSFeature(tag: 1, value: long)])
    #expect(try VDSFeature.list([], .der) == [])
    // Indefinite, not the shortest form, longer than there are bytes, larger than a number of 32 bits.
    let wrong: [[UInt8]] = [
      [1, 0x80, 0, 0], [1, 0x81, 2, 3, 3], [1, 0x82, 0, 200] + long, [1, 3, 1, 2], [1],
      [1, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [1, 0x85, 0, 0, 0, 0, 1, 9], [1, 0xFF],
    ]
    for bytes in wrong { #expect(throws: VDSError.malformed(.feature)) { try VDSFeature.list(bytes, .der) } }
  }

  @Test func referencesCompareWithoutLeadingZeros() throws {
    let made = SealVectors("vds-made")
    let seal = try VisibleDigitalSeal(made.vector("visa-b-v3-p224")["seal_hex"].bytes)
    #expect(seal.header.reference == "0007F")
    #expect(seal.header.signer == .reference(country: "UT", name: "TS", serialNumber: "7F"))
  }

  /// The reference of zeros, with the elements of a seal that has another one.
  @Test func theReferenceForTestsNamesNoCertificate() throws {
    let vector = SealVectors("vds-made").vector("visa-b-v3-p224")
    var bytes = vector["seal_hex"].bytes
    bytes.replaceSubrange(4..<10, with: try #require(C40.encode("UTTS00000")))
    let seal = try VisibleDigitalSeal(bytes)
    #expect(seal.header.signer == .reference(country: "UT", name: "TS", serialNumber: ""))
    let trust = try SealVectors("vds-made").trust(for: vector)
    let report = try SealReport(visibleDigitalSeal: bytes, trust: trust, at: .now)
    #expect(report.outcome == .notEstablished)
    #expect(report.outcomeReason == .unknownSigner)
    #expect(report.findings.map(\.id).contains(.testReference))
  }
}
