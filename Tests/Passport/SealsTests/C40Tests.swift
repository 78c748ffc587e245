import TestSupport
import Testing

@testable import TesseraSeals

@Suite struct C40Tests {
  static let primitives = SealVectors("primitives").file
  /// Those with bytes and without an error.
  static let texts = primitives["c40"].list.filter { !$0["error"].isPresent }
  static let wrong = primitives["c40"].list.filter { $0["error"].isPresent }

  @Test func theVectorsAreThere() {
    #expect(Self.texts.count == 8)
    #expect(Self.wrong.count == 7)
    #expect(Self.primitives["dates"].list.count == 7)
  }

  @Test(arguments: texts) func decodes(_ vector: Vector) throws {
    // A filler is a space in C40.
    let text = vector["text"].text.replacing("<", with: " ")
    #expect(try C40.trimmed(vector["hex"].bytes) == text)
  }

  @Test(arguments: texts) func encodesWhatTheStandardEncodes(_ vector: Vector) {
    let text = vector["padded"].isPresent ? vector["padded"].text : vector["text"].text
    #expect(C40.encode(text) == vector["hex"].bytes)
  }

  @Test(arguments: wrong) func refuses(_ vector: Vector) {
    #expect(throws: C40Error.self) { try C40.decode(vector["hex"].bytes) }
  }

  @Test func fillsUpToTheLengthOfTheField() throws {
    let bytes = try #require(C40.encode("AB"))
    #expect(try C40.decode(bytes, count: 5) == "AB   ")
    #expect(throws: C40Error.tooLong) { try C40.decode(bytes, count: 1) }
    // Two fillers that the field has no room for.
    #expect(try C40.decode(C40.encode("A<<") ?? [], count: 1) == "A")
  }

  /// Every text of the lengths that occur in seals comes back.
  @Test(arguments: [1, 2, 3, 4, 28, 36, 64, 72]) func roundTrip(_ count: Int) throws {
    let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    for start in alphabet.indices {
      let text = String((0..<count).map { alphabet[(start + $0 * 7) % alphabet.count] })
      let bytes = try #require(C40.encode(text))
      #expect(bytes.count == C40.length(of: count))
      #expect(try C40.decode(bytes, count: count) == text)
    }
  }

  /// What two bytes mean as a whole seal field: a pair decodes to text that encodes to the same bytes, or is refused.
  @Test func everyPairIsReadInOneWay() throws {
    var readable = 0
    for number in 0...0xFFFF {
      let bytes = [UInt8(number >> 8), UInt8(number & 0xFF)]
      guard let text = try? C40.decode(bytes) else { continue }
      readable += 1
      // `<` after FE is a space, which has an encoding of its own.
      if bytes != [0xFE, 0x3D] { #expect(C40.encode(text) == bytes) }
    }
    // 37³ triples, 37² pairs, 37 characters and the filler.
    #expect(readable == 37 * 37 * 37 + 37 * 37 + 38)
  }

  @Test(arguments: primitives["dates"].list) func dates(_ vector: Vector) {
    let date = SealDate(bytes: vector["hex"].bytes)
    if vector["error"].isPresent {
      #expect(date == nil)
    } else {
      #expect(date?.description == vector["date"].text)
      #expect(date.map { SealDate(text: $0.description) } == date)
    }
  }

  @Test func daysAreThoseOfTheCalendar() {
    #expect(SealDate(text: "1970-01-01")?.start.timeIntervalSince1970 == 0)
    #expect(SealDate(text: "2024-02-29")?.start.timeIntervalSince1970 == 1_709_164_800)
    #expect(SealDate(text: "1957-03-25")?.start.timeIntervalSince1970 == -403_056_000)
    #expect(SealDate(text: "2100-03-01")?.start.timeIntervalSince1970 == 4_107_542_400)
    for text in ["2023-02-29", "2100-02-29", "0000-01-01", "2026-13-01", "2026-00-10", "2026-1-1", "+026-01-01"] {
      #expect(SealDate(text: text) == nil, "\(text)")
    }
  }
}
