import TesseraCryptography
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraSeals

@Suite("VDS-NC: hostile seals")
struct VDSNCHostileTests {
  /// One of each algorithm, one with white space, and Australia's; all of them in a full sweep.
  private static let genuine = Sweep.rows(
    VDSNCTests.vectors.all.filter { $0["expect"]["outcome"].text == "genuine" }
  ) { ["vacc-es256", "test-es384", "dta-es512", "pretty-printed", "pub-aus-jane-catherine"].contains($0.id) }

  /// What one changed byte led to.
  private struct Count {
    /// The text still says what the country signed: white space, or the layout of a number.
    var equal = 0
    var refused = 0
    var notGenuine = 0
    var notEstablished = 0
  }

  @Test("A changed byte never gives a genuine seal of other data", arguments: genuine)
  func changedBytes(_ vector: Vector) async throws {
    let original = Array(vector["text"].text.utf8)
    let form = try #require(Self.form(original))
    let (trust, time) = (try VDSNCTests.vectors.trust(for: vector), VDSNCTests.vectors.time(of: vector))
    var count = Count()
    // Every byte: another bit of it, another letter of base64, or a byte at random; in a full sweep each of these.
    await Fuzzing.manyTimes(1, of: "seals with a changed byte") { generator in
      for place in original.indices {
        let byte = original[place]
        let changes = [
          byte ^ 1 << UInt8.random(in: 0..<8, using: &generator), byte == 0x41 ? 0x42 : 0x41,
          UInt8.random(in: 0...255, using: &generator),
        ]
        for (kind, changed) in changes.enumerated() where changed != byte && (Sweep.isFull || place % 3 == kind) {
          var text = original
          text[place] = changed
          guard let seal = try? VDSNC(text) else {
            count.refused += 1
            continue
          }
          let outcome = SealJudge(seal.evidence, seal.content, trust: trust, at: time).outcome
          // Of the whole text: another writing of the certificate or of the signature is a change as well.
          let isEqual = Self.form(text) == form
          #expect((outcome == .genuine) == isEqual, "byte \(place)")
          if isEqual {
            count.equal += 1
            continue
          }
          if outcome == .notGenuine { count.notGenuine += 1 } else { count.notEstablished += 1 }
        }
      }
    }
    #expect(count.refused + count.notGenuine + count.notEstablished >= 1_000)
    #expect(count.notGenuine >= 300)
    guard Sweep.isFull else { return }
    print(
      "\(vector.id): \(count.equal) equal, \(count.refused) refused, \(count.notGenuine) not genuine, "
        + "\(count.notEstablished) not established")
  }

  /// The canonical form of a whole text, without its byte order mark; nil if it has none.
  private static func form(_ text: [UInt8]) -> [UInt8]? {
    try? CanonicalJSON.form(ofText: Array(text.dropFirst(text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)))
  }

  private static func isEqual(_ left: SealEvidence, _ right: SealEvidence) -> Bool {
    left.signedBytes == right.signedBytes && left.signature == right.signature && left.signer == right.signer
      && left.hash == right.hash && left.fieldBits == right.fieldBits && left.issuer == right.issuer
  }

  @Test("Cut, repeated and exchanged parts never give a genuine seal of other data")
  func mutations() async throws {
    let vector = VDSNCTests.vectors.vector("vacc-es256")
    let original = Array(vector["text"].text.utf8)
    let evidence = try VDSNC(original).evidence
    let (trust, time) = (try VDSNCTests.vectors.trust(for: vector), VDSNCTests.vectors.time(of: vector))
    await Fuzzing.manyTimes(3_000, of: "mutated seals") { generator in
      guard let seal = try? VDSNC(Fuzzing.mutated(original, &generator)) else { return }
      let outcome = SealJudge(seal.evidence, seal.content, trust: trust, at: time).outcome
      #expect((outcome == .genuine) == Self.isEqual(seal.evidence, evidence))
    }
  }

  @Test("A text that is cut off anywhere is no seal")
  func cut() {
    let text = Array(VDSNCTests.vectors.vector("vacc-es256")["text"].text.utf8)
    for length in text.indices {
      #expect(throws: VDSNCError.self) { try VDSNC(Array(text.prefix(length))) }
    }
  }

  // MARK: - Large and deep

  private static func seal(_ message: String, certificate: String = "AAAA") -> [UInt8] {
    Array(
      (#"{"data":{"hdr":{"t":"x","v":1,"is":"UTO"},"msg":\#(message)},"#
        + #""sig":{"alg":"ES256","cer":"\#(certificate)","sigvl":"AAAA"}}"#).utf8)
  }

  private static func reason(_ text: [UInt8]) -> CanonicalJSONError.Reason? {
    do {
      _ = try VDSNC(text)
      return nil
    } catch {
      switch error {
      case .text(let error), .ambiguous(let error): return error.reason
      default: return nil
      }
    }
  }

  @Test("Deep and long texts are refused")
  func limits() {
    let deep = String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)
    #expect(Self.reason(Self.seal(deep)) == .nesting)
    #expect(Self.reason(Array(String(repeating: "[", count: 100_000).utf8)) == .length)
    #expect(Self.reason(Array(String(repeating: "{\"data\":", count: 8_000).utf8)) == .nesting)
    let megabyte = String(repeating: "A", count: 1_398_104)
    #expect(Self.reason(Self.seal("{}", certificate: megabyte)) == .length)
    #expect(Self.reason(Self.seal("{}") + [UInt8](repeating: 0x20, count: 65_536)) == .length)
  }

  @Test("Numbers of thousands of digits")
  func numbers() throws {
    let digits = String(repeating: "9", count: 3_000)
    #expect(Self.reason(Self.seal(#"{"n":\#(digits)}"#)) == .number)
    #expect(Self.reason(Self.seal(#"{"n":1e\#(digits)}"#)) == .number)
    #expect(Self.reason(Self.seal(#"{"n":1e400}"#)) == .number)
    let seal = try VDSNC(Self.seal(#"{"n":0.\#(digits),"m":1e-\#(digits)}"#))
    #expect(seal.content.fields.map(\.value) == [#"{"n":1}"#, #"{"m":0}"#])
    let header = Self.seal("{}").replacing(Array("\"v\":1".utf8), with: Array("\"v\":1\(digits)".utf8))
    #expect(Self.reason(header) == .number)
  }

  @Test("Bytes that are not UTF-8, at any place")
  func encoding() {
    let text = Self.seal(#"{"n":"A"}"#)
    for place in text.indices {
      #expect(Self.reason(Array(text.prefix(place)) + [0xFF] + text.dropFirst(place)) == .encoding)
      #expect(Self.reason(Array(text.prefix(place)) + [0xED, 0xA0, 0x80] + text.dropFirst(place)) == .encoding)
    }
  }

  @Test(
    "A name that occurs twice, at any place",
    arguments: ["data", "sig", "hdr", "msg", "t", "v", "is", "alg", "cer", "sigvl"])
  func duplicates(_ name: String) {
    let text = String(decoding: Self.seal("{}"), as: UTF8.self)
    let quoted = "\"\(name)\":"
    // Before its own, and with an escape.
    let escaped = "\"" + name.utf16.map { "\\u00" + String($0, radix: 16) }.joined() + "\":"
    for first in [quoted, escaped] {
      #expect(Self.reason(Array(text.replacing(quoted, with: "\(first)0,\(quoted)").utf8)) == .duplicateName)
    }
  }

  @Test("The largest certificate that a text can hold is not decoded")
  func certificate() throws {
    let digits = String(repeating: "A", count: 64_000)
    let seal = try VDSNC(Self.seal("{}", certificate: digits))
    let vector = VDSNCTests.vectors.vector("vacc-es256")
    let judgement = SealJudge(
      seal.evidence, seal.content, trust: try VDSNCTests.vectors.trust(for: vector),
      at: VDSNCTests.vectors.time(of: vector))
    #expect(judgement.outcome == .notEstablished)
    #expect(judgement.reason == .unknownSigner)
  }

  @Test("The cost of a message does not grow with its content", .timeLimit(.minutes(1)))
  func cost() throws {
    let name = String(repeating: "n", count: 30_000)
    let elements = String(repeating: "1,", count: 15_000) + "1"
    let doses = String(repeating: "{},", count: 20_000) + "{}"
    for (type, message) in [
      ("x", #"{"\#(name)":[\#(elements)]}"#), ("x", "{\((0..<6_000).map { "\"\($0)\":0" }.joined(separator: ","))}"),
      ("icao.vacc", #"{"ve":[\#(doses)]}"#), ("icao.vacc", #"{"ve":[{"vd":[\#(doses)]}]}"#),
      ("icao.vacc", #"{"ve":[{"vd":[\#(elements)]}]}"#),
    ] {
      let text = Self.seal(message).replacing(Array("\"x\"".utf8), with: Array("\"\(type)\"".utf8))
      let content = try VDSNC(text).content
      // Each fault once.
      #expect(content.problems.joined().utf8.count < 500)
      #expect(content.fields.reduce(0) { $0 + $1.name.utf8.count } < 500_000)
    }
  }

  @Test("Runs of combining marks, which String would sort, at every place", .timeLimit(.minutes(1)))
  func combiningMarks() throws {
    let marks = String(repeating: "\u{301}\u{316}", count: 15_000)
    let text = String(decoding: Self.seal(#"{"n":1}"#), as: UTF8.self)
    for (part, isSeal) in [
      ("\"x\"", true), ("ES256", true), ("\"n\":1", true), ("\"n\"", true), ("UTO", false), ("AAAA", false),
      ("hdr", false),
    ] {
      let replacement =
        switch part {
        case "\"x\"": "\"a\(marks)\""
        case "\"n\":1": "\"n\":\"a\(marks)\""
        case "\"n\"": "\"a\(marks)\""
        default: marks
        }
      let seal = try? VDSNC(Array(text.replacing(part, with: replacement).utf8))
      #expect((seal != nil) == isSeal)
    }
  }
}
