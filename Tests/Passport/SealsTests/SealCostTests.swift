import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraSeals
@testable import TesseraVerification

/// What a seal can make the judge and a report do, whatever it says: counted, not measured.
@Suite("Costs of hostile seals")
struct SealCostTests {
  private static let made = SealVectors("vds-made")
  private static let vector = made.vector("etd-v4-p256")

  /// The header of a seal of version 4, with what follows, and a signature of zeros.
  private static func seal(_ body: [UInt8]) -> [UInt8] {
    Array(vector["seal_hex"].bytes.prefix(18)) + body + [0xFF, 64] + [UInt8](repeating: 0, count: 64)
  }

  @Test("of many certificates with one name and number, a bounded number is tried")
  func candidates() throws {
    var trust = try Self.made.trust(for: Self.vector)
    let signer = try #require(trust.documentSigners.first)
    // Only their signatures differ.
    for index in 0..<200 {
      var der = signer.certificate.der
      der[der.count - 1] = UInt8(index)
      trust.insert(TrustMaterial.DocumentSigner(certificate: try Certificate(der: der), sources: []))
    }
    #expect(trust.documentSigners.count >= 200)
    let reference = try VisibleDigitalSeal(Self.vector["seal_hex"].bytes).evidence.signer
    #expect(reference.candidates(in: trust).count == 32)
    // One of the others may have signed it, so a wrong signature is not proven by the first ones.
    var bytes = Self.vector["seal_hex"].bytes
    bytes[bytes.count - 1] ^= 1
    let (few, time) = (try Self.made.trust(for: Self.vector), Self.made.time(of: Self.vector))
    #expect(try SealReport(visibleDigitalSeal: bytes, trust: few, at: time).outcome == .notGenuine)
    let report = try SealReport(visibleDigitalSeal: bytes, trust: trust, at: time)
    #expect(report.outcome == .notEstablished && report.outcomeReason == .signature)
    #expect(report[.signature]?.status == .unsupported && report.signer == nil)
    let right = try SealReport(visibleDigitalSeal: Self.vector["seal_hex"].bytes, trust: trust, at: time)
    #expect(right.outcome != .notGenuine)
  }

  @Test("a seal is read in at most four ways, whatever its lengths are")
  func readings() throws {
    // Elements that are of the same length by both rules, up to the largest seal.
    for count in [0, 1, 100, 4_000] {
      let body = Array(repeatElement([0x50, 0] as [UInt8], count: count).joined())
      let readings = try VisibleDigitalSeal.readings(of: Self.seal(body))
      #expect((1...4).contains(readings.count))
      #expect(readings.allSatisfy { $0.features.count <= count + 20 })
    }
  }

  @Test("the largest seal has as many lines as elements, and a bounded number of findings and problems")
  func lines() throws {
    // Each tag many times, and an element of 3 kB of digits.
    let many = Array((0..<1_500).flatMap { [UInt8($0 % 255), 0] as [UInt8] })
    let digits: [UInt8] = [0x60, 0x82, 0x0B, 0xB8] + [UInt8](repeating: 0x39, count: 3_000)
    let bytes = Self.seal(many + digits)
    let report = try SealReport(
      visibleDigitalSeal: bytes, trust: Self.made.trust(for: Self.vector), at: Self.made.time(of: Self.vector))
    #expect(report.outcome == .notGenuine)
    #expect(report.fields.count == 1_501)
    #expect(report.findings.count <= 17)
    #expect(report.checks.allSatisfy { $0.detail.utf8.count < 1_000 })
    #expect(report.lines.count < 1_600)
    #expect(report.json.text.utf8.count < 400_000)
  }

  @Test("lines of an element end after eight")
  func lineFeeds() throws {
    let text = [UInt8](repeating: 0x0A, count: 254)
    let body: [UInt8] = [0x07, 0x81, 254] + text
    var bytes = Self.seal(body)
    // Definition and category of a visa.
    (bytes[16], bytes[17]) = (0x5D, 0x01)
    let report = try SealReport(visibleDigitalSeal: bytes, trust: TrustMaterial(), at: .now)
    #expect(report.fields.contains { $0.name == "additional" && Array($0.value.utf8) == text })
    #expect(report.lines.count < 60)
  }

  @Test("JSON of 100,000 levels, a number of 60,000 digits and a certificate of 48 kB are refused or bounded")
  func text() throws {
    let levels = Array(String(repeating: "[", count: 100_000).utf8)
    #expect(throws: CanonicalJSONError(.length)) { try StrictJSON(levels) }
    #expect(throws: CanonicalJSONError.self) { try StrictJSON(Array(levels.prefix(60_000))) }
    func seal(_ message: String, _ certificate: String) -> [UInt8] {
      Array(
        (#"{"data":{"hdr":{"t":"icao.vacc","v":1,"is":"UTO"},"msg":\#(message)},"#
          + #""sig":{"alg":"ES256","cer":"\#(certificate)","sigvl":"AAAA"}}"#).utf8)
    }
    let trust = try Self.made.trust(for: Self.vector)
    for (message, certificate) in [
      (#"{"n":1.\#(String(repeating: "7", count: 60_000))}"#, "AAAA"), ("{}", String(repeating: "A", count: 64_000)),
      (#"{"a":"\#(String(repeating: "\\n", count: 30_000))"}"#, "AAAA"),
    ] {
      let report = try SealReport(vdsNC: seal(message, certificate), trust: trust, at: .now)
      #expect(report.outcome == .notEstablished)
      #expect(report.checks.allSatisfy { $0.detail.utf8.count < 1_000 })
      #expect(report.lines.count < 60)
    }
  }
}
