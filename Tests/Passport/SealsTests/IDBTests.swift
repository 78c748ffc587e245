import Foundation
import TesseraCryptography
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraSeals

/// Barcodes of ICAO's datastructure.
@Suite("IDB")
struct IDBTests {
  static let vectors = SealVectors("idb")

  static func text(_ id: String) -> [UInt8] { Array(vectors.vector(id)["text"].text.utf8) }

  static func report(_ text: [UInt8], _ vector: Vector) throws -> SealReport {
    try SealReport(icaoBarcode: text, trust: vectors.trust(for: vector), at: vectors.time(of: vector))
  }

  /// What is expected of each vector beside its outcome; nil for a genuine one.
  static let reasons: [String: SealReason?] = [
    "pub-idb-certifyingpermanentresidence": .noCountryCertificates,
    "pub-idb-supplementarysheetresidencepermit": .noCountryCertificates, "pub-idb-11": .notSigned,
    "pub-idb-12": .notSigned, "pub-idb-md-15": .notSigned, "pub-idb-9": .unknownSigner, "idb-date4": nil,
    "idb-date3": nil, "idb-zip": nil, "idb-p384": nil, "idb-bp512": nil, "idb-embedded": nil, "idb-ndb1": nil,
    "idb-unsigned": .notSigned, "idb-unsigned-zip": .notSigned, "idb-bad-message": .data, "idb-bad-date": .data,
    "idb-wrong-reference": .unknownSigner, "idb-expired": .signerNotValid, "idb-wrong-hash": .data,
    "idb-algorithm-0": .unknownSigner, "idb-flag-lies": .format, "idb-bad-base32": .format, "idb-bomb": .format,
    "idb-lowercase": .format,
  ]

  @Test("every vector: the outcome and its reason", arguments: vectors.all)
  func outcome(_ vector: Vector) throws {
    let report = try Self.report(Array(vector["text"].text.utf8), vector)
    #expect(report.kind == .idb)
    #expect(report.outcome.rawValue == vector["expect"]["outcome"].text, "\(report.headline)")
    let reason = try #require(Self.reasons[vector.id])
    #expect(report.outcomeReason == reason, "\(report.headline)")
    // Whether the signature is right, whatever the outcome is.
    let expected = vector["expect"]["signature_verifies"]
    if expected.isPresent, reason != .unknownSigner {
      #expect(report[.signature]?.status == (expected.flag ? .passed : .failed))
    }
  }

  @Test("there is an expectation for each vector")
  func table() {
    #expect(Set(Self.vectors.all.map(\.id)) == Set(Self.reasons.keys))
  }

  static let errors: [String: IDBError] = [
    "idb-flag-lies": .noMessageZone, "idb-bad-base32": .notBase32, "idb-bomb": .tooLarge,
    "idb-lowercase": .smallLetters,
  ]

  @Test("every vector: what the barcode has", arguments: vectors.all)
  func parts(_ vector: Vector) throws {
    let text = Array(vector["text"].text.utf8)
    #expect(IDBBarcode.isBarcode(text))
    let expected = vector["expect"]
    if expected["parse_error"].isPresent {
      let error = try #require(Self.errors[vector.id])
      #expect(throws: error) { try IDBBarcode(text) }
      return
    }
    let barcode = try IDBBarcode(text)
    #expect(barcode.identifier == expected["identifier"].text)
    #expect(barcode.isCompressed == expected["compressed"].flag)
    #expect((barcode.signature != nil) == expected["signed"].flag)
    #expect(barcode.payload == expected["payload_hex"].bytes)
    #expect(barcode.country == expected["country"].text)
    #expect(barcode.messages.map { [$0.tag] } == expected["messages"].list.map { $0["tag"].bytes })
    #expect(barcode.messages.map(\.value) == expected["messages"].list.map { $0["hex"].bytes })
    #expect((barcode.certificate != nil) == expected["embedded_certificate"].flag)
    guard expected["signed"].flag else { return #expect(barcode.header == nil) }
    let header = try #require(barcode.header)
    #expect(Int(header.algorithm) == expected["algorithm_octet"].number)
    #expect(header.reference == expected["certificate_reference"].bytes)
    #expect(header.date.count == expected["date_octets"].number)
    #expect(MaskedDate(header.date)?.description == expected["date"].text)
    #expect(barcode.signature == expected["signature_hex"].bytes)
    #expect(barcode.evidence.signedBytes.count == expected["signed_bytes"].number)
  }

  // MARK: - Content

  private static func content(_ id: String) throws -> SealContent { try IDBBarcode(text(id)).content }

  private static func lines(_ content: SealContent) -> [String] {
    content.fields.map { "\($0.tag ?? "") \($0.name) \($0.value)" }
  }

  @Test("the messages of German documents by name")
  func germanDocument() throws {
    let content = try Self.content("pub-idb-supplementarysheetresidencepermit")
    #expect(content.documentName == "supplementary sheet")
    #expect(content.fields.map(\.name) == ["mrz", "referenceNumber", "documentNumber", "documentKind"])
    #expect(content.fields.last?.value == "18 (supplementary sheet)")
    #expect(content.zone?.format == .td1)
    #expect(content.zone?.zone.firstWrongCheckDigit == nil)
    #expect(content.documentType == content.zone?.zone.documentCode)
    #expect(content.problems.isEmpty && content.findings.isEmpty)
    #expect(content.signedOn == SealDate(year: 2025, month: 2, day: 11))
  }

  @Test("the number that opens the chip")
  func cardAccessNumber() throws {
    let content = try Self.content("idb-unsigned-zip")
    #expect(content.fields.map(\.name) == ["cardAccessNumber"])
    #expect(content.fields.first?.value.count == 6)
    #expect(content.signedOn == nil && content.zone == nil && content.documentType == nil)
    #expect(try Self.report(Self.text("idb-unsigned-zip"), .missing).headline.contains("the barcode is not signed"))
  }

  /// An unsigned barcode of these messages; with fewer than 128 bytes each.
  private static func unsigned(_ messages: [(UInt8, [UInt8])], country: [UInt8] = [0x6A, 0xBC]) throws -> SealContent {
    try IDBBarcode(IDBText(country + IDBText.messages(messages)).text).content
  }

  @Test("messages with elements, dates and what is not known")
  func messages() throws {
    let zone = try #require(C40.encode("I<UTOPIAZ<DOCUMENT".padding(toLength: 72, withPad: "<", startingAt: 0)))
    let emergency = try Self.unsigned([(2, [2, 48] + zone)])
    #expect(emergency.documentName == "emergency travel document")
    #expect(emergency.zone?.format == .td2)
    let authorization = try Self.unsigned([
      (6, [4, 4, 0xF0, 0x00, 0x07, 0xC6, 8, 3, 0x1F, 0x01, 0x9A, 9, 3, 0x1F, 0x01, 0x9B, 0x0B, 1, 0, 0x7D, 1, 9])
    ])
    #expect(authorization.documentName == "digital travel authorization")
    #expect(
      Self.lines(authorization) == [
        "04 dateOfBirth 1990-xx-xx", "08 validFrom 2026-02-03", "09 validUntil 2027-02-03", "0B entries unlimited",
        "7D unknown ",
      ])
    #expect(authorization.validFrom == SealDate(year: 2026, month: 2, day: 3))
    #expect(authorization.validUntil == SealDate(year: 2027, month: 2, day: 3))
    #expect(authorization.findings.map(\.id) == [.unknownFeature])
    let german: [(UInt8, [UInt8])] = [(0x84, [0x1F, 0x01, 0x9A]), (0x86, [2])]
    #expect(try Self.lines(Self.unsigned(german)) == ["84 validUntil 2026-02-03", "86 documentKind 2"])
    // Other countries have tags of their own.
    let foreign = try Self.unsigned(german, country: [0xD9, 0xC5])
    #expect(foreign.fields.map(\.name) == ["unknown", "unknown"])
    #expect(foreign.fields.map(\.hexadecimal) == ["1F019A", "02"])
    #expect(foreign.problems.isEmpty)
  }

  @Test(
    "what is wrong with the messages leaves the outcome open",
    arguments: [
      [(9, [0x20, 0xB3])], [(9, [0, 0, 0, 0])], [(9, [0x20, 0xB3, 0x46, 0xA7]), (9, [0x20, 0xB3, 0x46, 0xA7])],
      [(2, [])], [(2, [1])], [(0x84, [0xFF, 0xFF, 0xFF])], [(0x84, [1])], [(6, [4, 9])], [(6, [4, 1, 0])],
      [(1, [3, 1, 0])],
      [(7, [UInt8](repeating: 0, count: 60))],
    ] as [[(UInt8, [UInt8])]])
  func problems(_ messages: [(UInt8, [UInt8])]) throws {
    #expect(try !Self.unsigned(messages).problems.isEmpty)
  }

  @Test("masked dates", arguments: SealVectors("primitives").file["masked_dates"].list)
  func maskedDates(_ vector: Vector) {
    #expect(MaskedDate(vector["hex"].bytes)?.description == vector["date"].text)
  }

  @Test("dates that are none")
  func noDates() {
    for bytes: [UInt8] in [[], [0], [0, 0, 0], [0, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0, 0]] {
      #expect(MaskedDate(bytes) == nil)
    }
  }

  // MARK: - The date of the signature

  /// A signed barcode, whose signature is none.
  private static func signed(_ behind: [UInt8]) throws(IDBError) -> IDBBarcode {
    try IDBBarcode(IDBText([0xD9, 0xC5, 1, 1, 2, 3, 4, 5] + behind, isSigned: true).text)
  }

  @Test("a date of four bytes whose last one is the tag that follows")
  func dateLikeTag() throws {
    let barcode = try Self.signed(
      [0, 0x1F, 0x01, 0x61] + IDBText.messages([(9, [0x20, 0xB3, 0x46, 0xA7])]) + [0x7F, 1, 0])
    #expect(barcode.header?.date == [0, 0x1F, 0x01, 0x61])
    #expect(barcode.content.signedOn == SealDate(year: 1969, month: 2, day: 3))
    // One of three bytes, as the technical report has it.
    let short = try Self.signed(
      [0x1F, 0x01, 0x61] + IDBText.messages([(9, [0x20, 0xB3, 0x46, 0xA7])]) + [0x7F, 1, 0])
    #expect(short.header?.date == [0x1F, 0x01, 0x61])
    #expect(short.content.signedOn == barcode.content.signedOn)
  }

  @Test("a barcode that is whole with both lengths is refused")
  func ambiguousDate() {
    // With three bytes, the messages are 60 5C … and 00 01 00; with four, 5C 5C … and 01 00.
    let messages = [0x60, 0x5C, 0x5C] + [UInt8](repeating: 0, count: 92) + [1, 0]
    #expect(throws: IDBError.ambiguousDate) {
      _ = try Self.signed([0, 0x1F, 0x01, 0x61, 0x61] + messages + [0x7F, 1, 0])
    }
  }

  // MARK: - The certificate in the barcode

  @Test("a certificate in the barcode counts only if the signed header names it")
  func otherCertificate() throws {
    let vector = Self.vectors.vector("idb-embedded")
    let payload = vector["expect"]["payload_hex"].bytes
    let right = try #require(try IDBBarcode(Self.text("idb-embedded")).certificate)
    let start = try #require(payload.indices.first { payload[$0...].starts(with: right) })
    // Another signer of the same country, in the place of the right one.
    let other = try Self.vectors.certificate("signer-p384").der
    func length(_ count: Int) -> [UInt8] { [0x82, UInt8(count >> 8), UInt8(count & 0xFF)] }
    let changed =
      payload[..<(start - 3)] + length(other.count) + other + payload[(start + right.count)...]
    let report = try Self.report(IDBText(Array(changed), isSigned: true).text, vector)
    #expect(report.outcome == .notEstablished)
    #expect(report.outcomeReason == .unknownSigner)
    #expect(report.findings.map(\.id) == [.layout])
  }

  @Test("a line end behind the text does not matter, a space does", arguments: ["\n", "\r\n", "\r\n\n"])
  func lineEnd(_ end: String) throws {
    let text = Self.text("idb-date4")
    #expect(try IDBBarcode(text + Array(end.utf8)) == IDBBarcode(text))
    #expect(throws: IDBError.notBase32) { try IDBBarcode(text + Array(" \(end)".utf8)) }
    #expect(throws: IDBError.otherFormat) { try IDBBarcode(Array(end.utf8) + text) }
  }

  @Test(
    "other texts are no barcode",
    arguments: [
      "", "RDB1", "RDB2BAAAA", "RDB1E", "RDB1@", "M1DESMARAIS", "HC1:6BF", "DC04FR", "{}", "XDB1A", "RDB1eAAAA",
    ])
  func otherTexts(_ text: String) {
    #expect(!IDBBarcode.isBarcode(Array(text.utf8)))
    #expect(throws: IDBError.otherFormat) {
      try SealReport(icaoBarcode: Array(text.utf8), trust: TrustMaterial(), at: .now)
    }
  }

  @Test(
    "Base32 without padding",
    arguments: [
      ("", ""), ("MY", "f"), ("MZXQ", "fo"), ("MZXW6", "foo"), ("MZXW6YQ", "foob"), ("MZXW6YTB", "fooba"),
      ("MZXW6YTBOI", "foobar"),
    ])
  func base32(_ text: String, _ content: String) {
    #expect(Base32.decode(Array(text.utf8)) == Array(content.utf8))
    #expect(Base32.decodedCount(text.utf8.count) == content.utf8.count)
    #expect(IDBText.base32(Array(content.utf8)) == Array(text.utf8))
  }

  @Test("what is not Base32", arguments: ["A", "ABC", "ABCDEF", "MZ", "MY======", "my", "M1", "MY ", "MY\n", "M\u{0}"])
  func notBase32(_ text: String) { #expect(Base32.decode(Array(text.utf8)) == nil) }
}

/// Makes texts of barcodes.
struct IDBText {
  let text: [UInt8]

  /// - Parameter payload: unpacked, or what shall stand in its place.
  init(_ payload: [UInt8], isSigned: Bool = false, isCompressed: Bool = false) {
    let flag = UInt8(ascii: "A") + (isSigned ? 1 : 0) + (isCompressed ? 2 : 0)
    text = Array("RDB1".utf8) + [flag] + Self.base32(payload)
  }

  /// A message zone of fewer than 128 bytes.
  static func messages(_ messages: [(UInt8, [UInt8])]) -> [UInt8] {
    let content = messages.flatMap { [$0.0, UInt8($0.1.count)] + $0.1 }
    return [0x61, UInt8(content.count)] + content
  }

  /// A length as in DER.
  static func length(_ count: Int) -> [UInt8] {
    guard count >= 0x80 else { return [UInt8(count)] }
    let octets = withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0.drop { $0 == 0 }) }
    return [0x80 | UInt8(octets.count)] + octets
  }

  static func base32(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    let bits = bytes.flatMap { byte in (0..<8).reversed().map { byte >> UInt8($0) & 1 } }
    return stride(from: 0, to: bits.count, by: 5).map { start in
      alphabet[(0..<5).reduce(0) { $0 << 1 | (start + $1 < bits.count ? Int(bits[start + $1]) : 0) }]
    }
  }
}
