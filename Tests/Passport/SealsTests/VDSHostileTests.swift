import TestSupport
import Testing

@testable import TesseraSeals
@testable import TesseraVerification

/// Seals that somebody changed, cut off or made up.
@Suite struct VDSHostileTests {
  static let made = SealVectors("vds-made")

  /// Seals of each version and of several curves, and one with a deviating layout.
  static let genuine = [
    "etd-v4-p256", "etd-v4-bp256", "visa-a-v4-p384", "visa-b-v3-p224", "etd-v4-p521", "etd-v4-plain-length-80",
  ]

  /// No single changed byte gives a genuine seal, with whatever bit.
  @Test(arguments: genuine) func aChangedByteIsNeverGenuine(_ id: String) throws {
    let vector = Self.made.vector(id)
    let bytes = vector["seal_hex"].bytes
    let trust = try Self.made.trust(for: vector)
    let time = Self.made.time(of: vector)
    #expect(try SealReport(visibleDigitalSeal: bytes, trust: trust, at: time).outcome == .genuine)
    var changed = 0
    for index in bytes.indices {
      for mask: UInt8 in [0x01, 0x80] {
        var other = bytes
        other[index] ^= mask
        let report = try? SealReport(visibleDigitalSeal: other, trust: trust, at: time)
        #expect(report?.outcome != .genuine, "byte \(index), bits \(mask)")
        changed += 1
      }
    }
    #expect(changed >= 250)
  }

  /// Nor does one that is cut off anywhere, or is longer.
  @Test(arguments: genuine) func aTruncatedSealIsNeverGenuine(_ id: String) throws {
    let vector = Self.made.vector(id)
    let bytes = vector["seal_hex"].bytes
    let trust = try Self.made.trust(for: vector)
    let time = Self.made.time(of: vector)
    for count in bytes.indices {
      let cut = Array(bytes.prefix(count))
      if count < 18 {
        #expect(throws: VDSError.notASeal) { try SealReport(visibleDigitalSeal: cut, trust: trust, at: time) }
      } else {
        let report = try SealReport(visibleDigitalSeal: cut, trust: trust, at: time)
        #expect(report.outcome == .notEstablished)
        #expect(report.status == SealStatus(isValid: false, indications: [.wrongFormat]))
      }
    }
    for end: [UInt8] in [[0], [0xFF], [0xFF, 0], [1, 0], Array(repeating: 0, count: 2_000)] {
      let report = try SealReport(visibleDigitalSeal: bytes + end, trust: trust, at: time)
      #expect(report.outcome == .notEstablished)
    }
  }

  /// A seal that deviates from its version is accused by no signature: by the standard it has none.
  @Test func aDeviatingSealIsNotAccused() throws {
    let vector = Self.made.vector("etd-v4-plain-length-80")
    var bytes = vector["seal_hex"].bytes
    bytes[40] ^= 1
    let report = try SealReport(
      visibleDigitalSeal: bytes, trust: Self.made.trust(for: vector), at: Self.made.time(of: vector))
    #expect(report.outcome == .notEstablished)
    #expect(report.status.indications == [.wrongFormat])
  }

  @Test func whatIsNoSealIsNamed() {
    let others: [[UInt8]] = [
      [], [0xDC], Array(repeating: 0, count: 65_536), Array("DC04FR000001126F".utf8),
      Array("HC1:NCFOXN".utf8), Array("M1DESMARAIS/LUC       EABC123".utf8), Array(repeating: 0xDC, count: 17),
    ]
    for bytes in others { #expect(throws: VDSError.notASeal) { try VisibleDigitalSeal(bytes) } }
  }

  /// Sizes, lengths and tags that no issuer writes.
  @Test func hostileContent() throws {
    let header = Array(Self.made.vector("etd-v4-p256")["seal_hex"].bytes.prefix(18))
    #expect(throws: VDSError.malformed(.size)) { try VisibleDigitalSeal(header + Array(repeating: 0, count: 65_536)) }
    // 4,000 elements without content, and a signature without content.
    let element: [UInt8] = [0x50, 0]
    let empty = header + Array(repeatElement(element, count: 4_000).joined()) + [0xFF, 0]
    let seal = try VisibleDigitalSeal(empty)
    #expect(seal.features.count == 4_000)
    let trust = try Self.made.trust(for: Self.made.vector("etd-v4-p256"))
    let report = try SealReport(visibleDigitalSeal: empty, trust: trust, at: .now)
    #expect(report.outcome == .notGenuine)
    #expect(report.outcomeReason == .data)
    #expect(report[.format]?.status == .failed)
    for tail: [UInt8] in [
      [0xFF, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0xFF, 0x88, 1, 1, 1, 1, 1, 1, 1, 1], [0xFF], [0x01], [0x01, 0x84, 0x7F],
    ] {
      #expect(throws: VDSError.self) { try VisibleDigitalSeal(header + tail) }
    }
    // Every version with every second byte of the length field.
    for version: UInt8 in [0, 1, 2, 3, 4, 0x7F, 0xFF] {
      for byte: UInt8 in 0...255 {
        var bytes = Self.made.vector("etd-v4-p256")["seal_hex"].bytes
        (bytes[1], bytes[7]) = (version, byte)
        let isSame = version == 3 && bytes == Self.made.vector("etd-v4-p256")["seal_hex"].bytes
        let report = try SealReport(visibleDigitalSeal: bytes, trust: trust, at: .now)
        if !isSame { #expect(report.outcome != .genuine) }
      }
    }
  }

  /// Bytes of chance with the first byte of a seal, and chance in place of the elements of a seal.
  @Test func chance() throws {
    var generator = SeededGenerator(seed: 46)
    let header = Array(Self.made.vector("etd-v4-p256")["seal_hex"].bytes.prefix(18))
    let trust = try Self.made.trust(for: Self.made.vector("etd-v4-p256"))
    for round in 0..<3_000 {
      let count = Int.random(in: 0..<300, using: &generator)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      bytes = round.isMultiple(of: 2) ? header + bytes : [0xDC, UInt8(round % 7)] + bytes
      let report = try? SealReport(visibleDigitalSeal: bytes, trust: trust, at: .now)
      #expect(report?.outcome != .genuine)
      _ = report?.json.text
      _ = report?.lines.map(\.whole)
    }
  }

  /// What a seal says may be anything; the terminal and the page see it escaped.
  @Test func textIsEscaped() throws {
    let text = Array("\u{1B}[31mA\u{202E}B\u{7}<script>\r\n\u{9B}".utf8)
    let body: [UInt8] = Array(Self.made.vector("etd-v4-p256")["seal_hex"].bytes.prefix(16)) + [0x5D, 0x01, 0x07]
    let bytes = body + [UInt8(text.count)] + text + [0xFF, 0]
    let report = try SealReport(visibleDigitalSeal: bytes, trust: TrustMaterial(), at: .now)
    #expect(report.fields.contains { $0.name == "additional" && Array($0.value.utf8) == text })
    for line in report.lines {
      #expect(!line.whole.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
      #expect(!line.whole.unicodeScalars.contains { $0.value == 0x202E })
    }
    let json = report.json.text
    #expect(!json.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E })
  }
}
