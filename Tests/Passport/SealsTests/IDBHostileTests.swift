import CTesseraZlib
import Foundation
import TesseraCryptography
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraSeals

@Suite("IDB: hostile barcodes")
struct IDBHostileTests {
  private static let vectors = IDBTests.vectors

  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var size = compressBound(uLong(bytes.count))
    return [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
      count =
        compress2(buffer.baseAddress, &size, bytes, uLong(bytes.count), Z_BEST_COMPRESSION) == Z_OK ? Int(size) : 0
    }
  }

  // MARK: - Changed content

  /// Kinds of signed barcodes: plain, compressed, with the certificate inside, with the shorter date, on other curves.
  private static let kinds = ["idb-date4", "idb-date3", "idb-zip", "idb-embedded", "idb-p384", "idb-bp512"]

  @Test("no changed character gives another genuine barcode", arguments: kinds)
  func changedCharacters(_ id: String) throws {
    let vector = Self.vectors.vector(id)
    let text = IDBTests.text(id)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567=a1 \n\u{0}".utf8)
    try check(vector, count: Sweep.isFull ? 1_000 : 200) { random in
      var changed = text
      let place = Int.random(in: changed.indices, using: &random)
      changed[place] = alphabet.filter { $0 != text[place] }.randomElement(using: &random) ?? 0
      return changed
    }
  }

  @Test("no changed byte gives another genuine barcode", arguments: kinds)
  func changedBytes(_ id: String) throws {
    let vector = Self.vectors.vector(id)
    let packed = try #require(Base32.decode(IDBTests.text(id).dropFirst(5)))
    try check(vector, count: Sweep.isFull ? 1_000 : 200) { random in
      var changed = packed
      changed[Int.random(in: changed.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      return Array(IDBTests.text(id).prefix(5)) + IDBText.base32(changed)
    }
  }

  /// - Parameter change: makes another text of the vector's.
  private func check(
    _ vector: Vector, count: Int, _ change: (inout SystemRandomNumberGenerator) -> [UInt8]
  ) throws {
    let original = try IDBBarcode(Array(vector["text"].text.utf8))
    let trust = try Self.vectors.trust(for: vector)
    let date = Self.vectors.time(of: vector)
    var random = SystemRandomNumberGenerator()
    var genuine = 0
    #expect(try SealReport(icaoBarcode: Array(vector["text"].text.utf8), trust: trust, at: date).outcome == .genuine)
    for _ in 0..<count {
      let text = change(&random)
      guard let report = try? SealReport(icaoBarcode: text, trust: trust, at: date), report.outcome == .genuine else {
        continue
      }
      genuine += 1
      let barcode = try IDBBarcode(text)
      // The identifier is not signed, and zlib has several forms of the same content.
      #expect(barcode.payload == original.payload)
      #expect(barcode.isCompressed || barcode.identifier != original.identifier)
    }
    #expect(genuine < count / 20)
  }

  // MARK: - Truncation

  @Test("each truncation is refused", arguments: kinds)
  func truncations(_ id: String) throws {
    let text = IDBTests.text(id)
    for count in 0..<text.count { #expect(throws: IDBError.self) { try IDBBarcode(Array(text.prefix(count))) } }
    let barcode = try IDBBarcode(text)
    for count in barcode.payload.indices {
      #expect(throws: IDBError.self) {
        try IDBBarcode(IDBText(Array(barcode.payload.prefix(count)), isSigned: true).text)
      }
    }
    // And each byte more.
    #expect(throws: IDBError.self) { try IDBBarcode(IDBText(barcode.payload + [0], isSigned: true).text) }
  }

  // MARK: - Compression

  @Test("the unpacked size is limited", arguments: [65_536, 65_537, 1 << 20, 64 << 20])
  func bomb(_ size: Int) throws {
    let packed = Self.compressed([UInt8](repeating: 0, count: size))
    let text = IDBText(packed, isCompressed: true).text
    // Zeros of the permitted size are no country.
    #expect(throws: size > 65_536 ? IDBError.tooLarge : IDBError.country) { try IDBBarcode(text) }
  }

  @Test("compressed content that is damaged")
  func damaged() throws {
    let payload = [0x6A, 0xBC] + IDBText.messages([(9, [0x20, 0xB3, 0x46, 0xA7])])
    let packed = Self.compressed(payload)
    #expect(try IDBBarcode(IDBText(packed, isCompressed: true).text).payload == payload)
    for count in packed.indices {
      #expect(throws: IDBError.damaged) {
        try IDBBarcode(IDBText(Array(packed.prefix(count)), isCompressed: true).text)
      }
    }
    for wrong in [packed + [0], packed + packed, Array(packed.dropLast()) + [packed[packed.count - 1] ^ 1], payload] {
      #expect(throws: IDBError.damaged) { try IDBBarcode(IDBText(wrong, isCompressed: true).text) }
    }
    // What is compressed twice is no payload.
    #expect(throws: IDBError.country) {
      try IDBBarcode(IDBText(Self.compressed([0x01] + packed), isCompressed: true).text)
    }
  }

  // MARK: - Lengths

  @Test(
    "lengths that do not fit",
    arguments: [
      [0x61], [0x61, 1], [0x61, 0x80], [0x61, 0x81], [0x61, 0x81, 0], [0x61, 0x81, 0x7F], [0x61, 0x82, 0, 0x80],
      [0x61, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x61, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x61, 0xFF, 0], [0x61, 2, 9, 1], [0x61, 1, 9], [0x61, 3, 9, 0x81, 0x80],
      [0x61, 6, 9, 0x84, 0x7F, 0xFF, 0xFF, 0xFF],
    ] as [[UInt8]])
  func lengths(_ behind: [UInt8]) {
    #expect(throws: IDBError.lengths) { try IDBBarcode(IDBText([0x6A, 0xBC] + behind).text) }
  }

  @Test("messages in messages end with what is there")
  func nesting() throws {
    // 2,000 messages, each in the one before.
    var nested: [UInt8] = []
    for _ in 0..<2_000 {
      nested = [6] + IDBText.length(nested.count) + nested
    }
    let content = [0x61] + IDBText.length(nested.count) + nested
    let barcode = try IDBBarcode(IDBText([0x6A, 0xBC] + content).text)
    #expect(barcode.messages.count == 1)
    #expect(barcode.content.fields.count == 1)
  }

  @Test("more messages than any document has are refused")
  func count() throws {
    func text(_ count: Int) -> [UInt8] {
      let content = (0..<count).flatMap { number -> [UInt8] in [UInt8(truncatingIfNeeded: number), 0] }
      return IDBText([0x6A, 0xBC, 0x61] + IDBText.length(content.count) + content).text
    }
    #expect(throws: IDBError.lengths) { try IDBBarcode(text(30_000)) }
    #expect(throws: IDBError.lengths) { try IDBBarcode(text(101)) }
    #expect(try IDBBarcode(text(100)).messages.count == 100)
  }

  @Test("a certificate of 256 kB, and one of 60 kB")
  func largeCertificate() throws {
    let vector = Self.vectors.vector("idb-date4")
    let payload = vector["expect"]["payload_hex"].bytes
    let signed = vector["expect"]["signed_bytes"].number
    func text(_ size: Int) -> [UInt8] {
      let certificate = [0x7E] + IDBText.length(size) + [UInt8](repeating: 0x30, count: size)
      return IDBText(payload[..<signed] + certificate + payload[signed...], isSigned: true).text
    }
    let (large, small) = (text(1 << 18), text(60_000))
    #expect(throws: IDBError.tooLarge) { try IDBBarcode(large) }
    let refused = try IDBTests.report(large, vector)
    #expect(refused.outcome == .notEstablished)
    #expect(refused.outcomeReason == .format)
    // It is not signed, and the right one is known.
    #expect(try IDBTests.report(small, vector).outcome == .genuine)
  }

  @Test("nothing that the barcode says reaches the terminal as it came")
  func controlCharacters() throws {
    let payload = [0x6A, 0xBC] + IDBText.messages([(1, [7, 6, 0x1B, 0x5B, 0x32, 0x4A, 0x07, 0x0A]), (0xAA, [0x1B])])
    let report = try IDBTests.report(IDBText(payload).text, .missing)
    for line in report.lines { #expect(!line.whole.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }) }
    #expect(!report.json.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }
}
