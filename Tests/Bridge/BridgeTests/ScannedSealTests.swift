import TesseraSeals
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraLinuxProviders

@Suite("A seal and a zone that the camera showed together")
struct ScannedSealTests {
  private static func report(_ id: String, _ lines: [String]) throws -> SealReport {
    let bytes = SealsOfTests.vector(id)["seal_hex"].bytes
    let seal = BarcodeSeal(bytes: bytes, content: .visibleDigitalSeal)
    let scanned = ScannedSeal(seal, printed: PrintedZone(lines: lines, isCertain: true))
    return try scanned.report(trust: SealsOfTests.trust(), at: SealsOfTests.date)
  }

  /// The second lines all have right check digits.
  @Test("a difference is a proof only if the zone can be that of no second document of the same kind")
  func document() throws {
    let (holder, own) = (SealsOfTests.lines[0], SealsOfTests.lines[1])
    let child = holder.replacing("ANNA<MARIA", with: "EMIL<<<<<<")
    for (lines, isProof) in [
      // The number of the seal, with another name or another date of expiry.
      ([child, own], true), ([holder, "D231458907UTO7408122F2804154<<<<<<<4"], true),
      // Nothing but the number.
      ([holder, "D231458918UTO7408122F2704151<<<<<<<2"], true),
      // The holder's next document, and that of a child with the next number.
      ([holder, "D231458918UTO7408122F3204153<<<<<<<0"], false),
      ([child, "D231458918UTO1008128F2704151<<<<<<<8"], false),
      // The same number of another State, and of another kind of document.
      ([holder.replacing("PUUTO", with: "PUXXA"), own], false),
      ([holder.replacing("PUUTO", with: "I<UTO"), own], false),
    ] {
      let report = try Self.report("etd-v4-p256", lines)
      #expect(report.comparison == .differs && report[.matchesDocument]?.status == .failed, "\(lines)")
      #expect(report.outcome == (isProof ? .notGenuine : .notEstablished), "\(lines)")
      #expect(report.outcomeReason == (isProof ? .document : .printedZone), "\(lines)")
    }
  }

  @Test("of two visas in an open passport, the zone of one proves nothing against the seal of the other")
  func visas() throws {
    let holder = SealsOfTests.vector("visa-a-v4-p384")["printed_mrz"].list.map(\.text).first ?? ""
    let rest = String(repeating: "<", count: 16)
    for (lines, isProof) in [
      // Another name on the visa of the seal.
      ([holder.replacing("ERIKA", with: "ERICA"), "L8988901C4XXX9004159F2709226\(rest)"], true),
      // Another number; with the number of the passport, another date of expiry; both.
      ([holder, "L8988902C7XXX9004159F2709226\(rest)"], false),
      ([holder, "L8988901C4XXX9004159F2809229\(rest)"], false),
      ([holder, "L8988902C7XXX9004159F2809229\(rest)"], false),
    ] {
      let report = try Self.report("visa-a-v4-p384", lines)
      #expect(report.comparison == .differs, "\(lines)")
      #expect((report.outcome == .notGenuine) == isProof, "\(lines)")
    }
  }

  @Test("says nothing of the document in what a log would have")
  func redacted() throws {
    let seal = BarcodeSeal(bytes: SealsOfTests.bytes, content: .visibleDigitalSeal)
    let scanned = ScannedSeal(seal, printed: PrintedZone(lines: SealsOfTests.lines, isCertain: true))
    var dumped = ""
    dump(scanned, to: &dumped)
    for text in ["\(scanned)", String(reflecting: scanned), dumped] {
      #expect(text.contains("redacted") && !text.contains("ERIKSSON") && !text.contains("220"))
    }
  }
}
