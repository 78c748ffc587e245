import TesseraJSON
import TesseraPassport
import TestSupport
import Testing

@testable import TesseraSeals
@testable import TesseraVerification

/// A seal that names a passport, and the passport in the same session.
@Suite("A seal and the passport of its holder")
struct SealPassportTests {
  static let vectors = SealVectors("vds-made")
  static let visa = vectors.vector("visa-a-v4-p384")
  static let printed = PrintedZone(lines: visa["printed_mrz"].list.map(\.text), isCertain: true)

  static func passport(_ number: String) throws -> MachineReadableZone {
    let content = MachineReadableZone.Content(
      documentCode: "P", issuingState: "UTO", documentNumber: number, nationality: "UTO", dateOfBirth: "900415",
      sex: "F", dateOfExpiry: "270922", primaryIdentifier: "MUSTERFRAU", secondaryIdentifier: "ERIKA")
    return try MachineReadableZone(content, format: .td3)
  }

  static func report(
    _ vector: Vector = visa, printed: PrintedZone? = nil, passport: MachineReadableZone? = nil
  ) throws -> SealReport {
    try SealReport(
      visibleDigitalSeal: vector["seal_hex"].bytes, printed: printed, passport: passport,
      trust: vectors.trust(for: vector), at: vectors.time(of: vector))
  }

  @Test("a visa names the passport, with the printed zone and without it")
  func named() throws {
    let alone = try Self.report(passport: Self.passport("UFO001979"))
    #expect(alone.outcome == .genuine)
    #expect(alone.comparison == .namesPassport)
    #expect(alone.namesPassport == true)
    #expect(alone.headline == "Genuine seal, by the certificates of UT; it names the passport that was given.")
    let both = try Self.report(printed: Self.printed, passport: Self.passport("UFO001979"))
    #expect(both.outcome == .genuine)
    #expect(both.comparison == .equalsZone)
    #expect(both.namesPassport == true)
    #expect(
      both.headline
        == "Genuine seal, by the certificates of UT; it equals the printed MRZ and names the passport that was given.")
    #expect(both[.matchesDocument]?.detail.hasSuffix("The seal names the passport whose zone was given.") == true)
    #expect(both.json["namesPassport"] == .bool(true))
  }

  /// The visa may be in the holder's old passport.
  @Test("another passport proves nothing")
  func otherPassport() throws {
    for printed in [nil, Self.printed] {
      let report = try Self.report(printed: printed, passport: Self.passport("UFO001978"))
      #expect(report.outcome == .notEstablished)
      #expect(report.outcomeReason == .otherPassport)
      #expect(report.comparison == .differs)
      #expect(report.namesPassport == false)
      #expect(report[.matchesDocument]?.status == .failed)
    }
  }

  @Test("a report and its parts say nothing of the document in what a log would have")
  func redacted() throws {
    let report = try Self.report(printed: Self.printed)
    let field = try #require(report.fields.first { $0.name == "passportNumber" })
    var dumped = ""
    dump(report, to: &dumped)
    dump(report.fields, to: &dumped)
    dump(Self.printed, to: &dumped)
    for text in [
      "\(report)", String(reflecting: report), "\(field)", String(reflecting: field), "\(Self.printed)",
      String(reflecting: Self.printed), dumped,
    ] {
      #expect(text.contains("redacted"))
      #expect(!text.contains("UFO001979") && !text.contains("MUSTERFRAU") && !text.contains("L8988901C"))
    }
  }

  @Test("another printed zone is a proof, whatever the passport is", arguments: ["UFO001979", "UFO001978"])
  func otherZone(_ number: String) throws {
    let lines = Self.printed.lines.map { $0.replacing("ERIKA", with: "ERICA") }
    let report = try Self.report(
      printed: PrintedZone(lines: lines, isCertain: true), passport: Self.passport(number))
    #expect(report.outcome == .notGenuine)
    #expect(report.comparison == .differs)
    #expect(report.namesPassport == (number == "UFO001979"))
  }

  /// The zone of a passport is not that of an emergency travel document, and nobody says that it should be.
  @Test("a seal that names no passport is not compared with it")
  func noNumber() throws {
    let vector = Self.vectors.vector("etd-no-printed-mrz")
    let report = try Self.report(vector, passport: Self.passport("UFO001979"))
    #expect(report.outcome == .genuine)
    #expect(report.comparison == .notCompared)
    #expect(report.namesPassport == nil)
    #expect(report.json["namesPassport"] == JSONValue.null)
    #expect(report[.matchesDocument]?.status == .skipped)
    let lines = Self.vectors.vector("etd-v4-p256")["printed_mrz"].list.map(\.text)
    let printed = try Self.report(
      vector, printed: PrintedZone(lines: lines, isCertain: true), passport: Self.passport("UFO001979"))
    #expect(printed.comparison == .equalsZone)
    #expect(printed.outcome == .genuine)
  }

  @Test("the line below the first one says what the verdict proves")
  func meaning() throws {
    let open = Self.vectors.vector("etd-unknown-certificate")
    let wrong = Self.vectors.vector("etd-bad-message")
    for (report, text) in [
      (try Self.report(), "A copy of a seal is as good as the original"),
      (try Self.report(printed: Self.printed), "and the printed zone is the same"),
      (try Self.report(passport: Self.passport("UFO001979")), "they name the given passport"),
      (try Self.report(open), "neither that the country signed these data nor that it did not"),
      (try Self.report(wrong), "There is a proof against the seal"),
    ] {
      #expect(report.meaning.contains(text))
      #expect(report.lines.prefix(3).map(\.whole) == [report.headline, report.meaning, ""])
      #expect(report.json["meaning"] == .string(report.meaning))
    }
  }
}
