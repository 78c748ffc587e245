import TesseraCryptography
import TesseraJSON
import TestSupport
import Testing

@testable import TesseraSeals

@Suite("Canonical JSON (RFC 8785)")
struct CanonicalJSONTests {
  private static let vectors = SealVectors("json-canonical").all

  private static func form(_ text: String) throws(CanonicalJSONError) -> String {
    String(decoding: try CanonicalJSON.form(ofText: Array(text.utf8)), as: UTF8.self)
  }

  private static func reason(_ text: [UInt8]) -> CanonicalJSONError.Reason? {
    do {
      _ = try CanonicalJSON.form(ofText: text)
      return nil
    } catch { return error.reason }
  }

  @Test("All vectors are there") func count() { #expect(Self.vectors.count == 21) }

  @Test("A text has its canonical form, or none", arguments: vectors)
  func vector(_ vector: Vector) throws {
    let input = Array(vector["input"].text.utf8)
    guard vector["error"].isPresent else {
      let form = try CanonicalJSON.form(ofText: input)
      #expect(form == Array(vector["canonical"].text.utf8))
      if vector["sha256"].isPresent {
        #expect(try HashAlgorithm.sha256.digest(of: form) == vector["sha256"].bytes)
      }
      return
    }
    let reasons: [String: CanonicalJSONError.Reason] = [
      "lone surrogate": .loneSurrogate, "duplicate name": .duplicateName, "not a number of IEEE 754": .number,
      "not JSON": .syntax,
    ]
    let expected = try #require(reasons[vector["error"].text])
    #expect(Self.reason(input) == expected)
  }

  // MARK: - Numbers

  /// RFC 8785, appendix B.
  static let samples: [(bits: UInt64, text: String)] = [
    (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
    (0x8000_0000_0000_0001, "-5e-324"), (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
    (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"), (0x4340_0000_0000_0000, "9007199254740992"),
    (0xC340_0000_0000_0000, "-9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
    (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
    (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"), (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
    (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
    (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
    (0x41B3_DE43_5555_5553, "333333333.3333332"), (0x41B3_DE43_5555_5554, "333333333.33333325"),
    (0x41B3_DE43_5555_5555, "333333333.3333333"), (0x41B3_DE43_5555_5556, "333333333.3333334"),
    (0x41B3_DE43_5555_5557, "333333333.33333343"), (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
    (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
  ]

  @Test("A double is printed as ECMAScript does", arguments: samples)
  func sample(_ sample: (bits: UInt64, text: String)) throws {
    #expect(CanonicalNumber(Double(bitPattern: sample.bits))?.text == sample.text)
    #expect(try Self.form(sample.text) == sample.text)
  }

  @Test("Infinity and what is no number have no form")
  func notFinite() {
    #expect(CanonicalNumber(Double.infinity) == nil)
    #expect(CanonicalNumber(-Double.infinity) == nil)
    #expect(CanonicalNumber(Double.nan) == nil)
  }

  @Test(
    "The number counts, not its digits",
    arguments: [
      ("1.0", "1"), ("2e0", "2"), ("-0.0", "0"), ("-0e9", "0"), ("1E5", "100000"), ("1e+05", "100000"),
      ("9007199254740993", "9007199254740992"), ("0.1e1", "1"), ("1e20", "100000000000000000000"),
      ("123456789e-20", "1.23456789e-12"), ("-1.5e300", "-1.5e+300"), ("1e-400", "0"), ("-1e-400", "0"),
      ("0e999999999999999999999", "0"), ("1e-999999999999999999999", "0"), ("-123.456", "-123.456"),
      ("12e-1", "1.2"), ("0.00001", "0.00001"), ("1.7976931348623158e308", "1.7976931348623157e+308"),
      ("4.5e-07", "4.5e-7"),
    ])
  func equalNumbers(_ text: String, _ canonical: String) throws { #expect(try Self.form(text) == canonical) }

  @Test("Any double is read back from its form, which no other layout replaces")
  func everyDouble() async throws {
    await Fuzzing.manyTimes(2_000, of: "doubles") { generator in
      let number = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator))
      guard number.isFinite else { return }
      let text = CanonicalNumber(number)?.text ?? ""
      #expect(Double(text) == number)
      let exponent = text.utf8.contains(UInt8(ascii: "e"))
      #expect(exponent == (number != 0 && !(1e-6..<1e21).contains(number.magnitude)))
      #expect((try? Self.form(number.description)) == text)
    }
  }

  @Test("Thousands of digits are a number like any other")
  func longNumbers() throws {
    let digits = String(repeating: "3", count: 3_000)
    #expect(try Self.form("0.\(digits)") == "0.3333333333333333")
    #expect(try Self.form("\(digits)e-3000") == "0.3333333333333333")
    #expect(try Self.form("1\(String(repeating: "0", count: 3_000))e-3000") == "1")
    #expect(Self.reason(Array(digits.utf8)) == .number)
    #expect(Self.reason(Array("1e\(digits)".utf8)) == .number)
    #expect(try Self.form("1e-\(digits)") == "0")
  }

  // MARK: - Strings and members

  @Test("Strings have the shortest escapes")
  func escapes() throws {
    let controls = (0..<0x20).map { "\\u00" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    let expected =
      #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010\u0011\u0012\u0013\u0014"#
      + #"\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f""#
    #expect(try Self.form("\"\(controls)\"") == expected)
    #expect(try Self.form(#""\/\u007f\u2028\ud83d\ude00""#) == "\"/\u{7F}\u{2028}😀\"")
    // No normalisation: both forms of é stay what they are.
    #expect(try Self.form(#"["\u00e9","e\u0301"]"#).utf8.elementsEqual("[\"\u{E9}\",\"e\u{301}\"]".utf8))
  }

  @Test("Members are sorted by UTF-16 units, at every level")
  func order() throws {
    let text = #"{"\ufb33":1,"\ud83d\ude00":2,"aa":3,"a":4,"":5,"B":{"z":[{"d":1,"c":2}],"y":0},"\ue000":6}"#
    let expected =
      "{\"\":5,\"B\":{\"y\":0,\"z\":[{\"c\":2,\"d\":1}]},\"a\":4,\"aa\":3,\"😀\":2,\"\u{E000}\":6,\"\u{FB33}\":1}"
    #expect(try Self.form(text) == expected)
  }

  @Test("White space between tokens does not matter")
  func space() throws { #expect(try Self.form("\t{ \"a\" :\r\n[ 1 , true ] }\n ") == #"{"a":[1,true]}"#) }

  // MARK: - Refused texts

  @Test(
    "What I-JSON forbids has no form",
    arguments: [
      (#"{"a":1,"\u0061":2}"#, CanonicalJSONError.Reason.duplicateName), (#"[{"b":{"":0,"":0}}]"#, .duplicateName),
      (#""\ud800""#, .loneSurrogate), (#""\udc00\ud800""#, .loneSurrogate), (#""\ud800\ud800\udc00""#, .loneSurrogate),
      (#""\ud83dx\ude00""#, .loneSurrogate), (#"{"\udfff":1}"#, .loneSurrogate), (#""\ud800\n""#, .loneSurrogate),
      ("[1e400]", .number), ("-1e309", .number), ("1e999999999999999999999", .number),
    ])
  func defects(_ text: String, _ reason: CanonicalJSONError.Reason) throws {
    #expect(Self.reason(Array(text.utf8)) == reason)
    // It is JSON all the same.
    #expect(try StrictJSON(Array(text.utf8)).defect?.reason == reason)
  }

  @Test("Names with equal text and other bytes are two names")
  func namesByBytes() throws {
    #expect(try Self.form(#"{"\u00e9":1,"e\u0301":2}"#).utf8.elementsEqual("{\"e\u{301}\":2,\"\u{E9}\":1}".utf8))
  }

  @Test(
    "What is no JSON is refused",
    arguments: [
      "", " ", "{", "[", "]", "[1", "[1,", "[1,]", "[,1]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
      "{a:1}", "{1:1}", "{\"a\" 1}", "[1 2]", "nul", "nulll", "True", "NaN", "Infinity", "-Infinity", "+1", "-", "01",
      "-01",
      "1.", ".5", "1e", "1e+", "1.e5", "0x10", "1_000", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u\"", "\"\\u12\"",
      "\"\\u12g4\"", "\"\\ud83d\\u12\"", "\"\n\"", "\"\t\"", "'a'", "[1] 2", "[1],", "// a\n1", "/**/1", "\u{FEFF}1",
      "1\u{0}", "\u{A0}1", "\u{B}1", "\u{C}1", "\"\u{0}\"",
    ])
  func syntax(_ text: String) { #expect(Self.reason(Array(text.utf8)) == .syntax) }

  @Test(
    "What is not UTF-8 is refused",
    arguments: [
      [0xFF], [0x80], [0xC3], [0xC0, 0x80], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xF8, 0x88, 0x80, 0x80, 0x80],
    ] as [[UInt8]])
  func encoding(_ bytes: [UInt8]) {
    #expect(Self.reason([0x22] + bytes + [0x22]) == .encoding)
    #expect(Self.reason([0x22, 0x22] + bytes) == .encoding)
  }

  @Test("UTF-16 is no JSON text")
  func utf16() {
    // Zero bytes are UTF-8.
    #expect(Self.reason(Array("{}".utf16).flatMap { [UInt8($0), 0] }) == .syntax)
    #expect(Self.reason([0xFF, 0xFE] + Array("{}".utf16).flatMap { [UInt8($0), 0] }) == .encoding)
  }

  // MARK: - Limits

  @Test("32 levels are read, 33 are refused", arguments: ["[", "{\"a\":"])
  func nesting(_ opening: String) throws {
    func text(_ levels: Int) -> String {
      String(repeating: opening, count: levels) + "1"
        + String(repeating: opening == "[" ? "]" : "}", count: levels)
    }
    #expect(try Self.form(text(32)) == text(32))
    #expect(Self.reason(Array(text(33).utf8)) == .nesting)
    #expect(Self.reason(Array(text(5_000).utf8)) == .nesting)
    // 100,000 levels are longer than any text.
    #expect(Self.reason(Array(String(repeating: opening, count: 100_000).utf8)) == .length)
  }

  @Test("A value that was made is not nested deeper than one that was read")
  func nestedValue() throws {
    var value: JSONValue = 1
    for _ in 0..<32 { value = [value] }
    #expect(try CanonicalJSON.form(of: value).count == 65)
    #expect(throws: CanonicalJSONError(.nesting)) { try CanonicalJSON.form(of: [value]) }
  }

  @Test("64 kB are read, one byte more is refused")
  func length() throws {
    let longest = "\"" + String(repeating: "a", count: StrictJSON.maximumLength - 2) + "\""
    #expect(try Self.form(longest) == longest)
    #expect(Self.reason(Array((longest + " ").utf8)) == .length)
  }

  @Test("The cost does not grow with the content", .timeLimit(.minutes(1)))
  func cost() throws {
    let length = StrictJSON.maximumLength
    // Names that differ at their end only, in the opposite order: the most that a comparison can cost.
    let names = (0..<250).reversed().map { "\"\(String(repeating: "n", count: 250))\($0 + 100)\":0" }
    let short = (0..<7_000).map { "\"\($0)\":0" }
    for text in [
      "{\(names.joined(separator: ","))}", "{\(short.joined(separator: ","))}",
      "[\(String(repeating: "1e308,", count: length / 6 - 1))1]",
      "[\(String(repeating: "[],", count: length / 3 - 1))[]]",
      "\"\(String(repeating: "\\u0000", count: length / 6 - 1))\"",
      "0.\(String(repeating: "123456789", count: length / 9 - 1))",
      "[\(String(repeating: "\"e\\u0301\",", count: length / 11 - 1))0]",
    ] {
      #expect(!(try Self.form(text)).isEmpty)
    }
  }

  // MARK: - Properties

  @Test("A form is its own form, and texts of any bytes are refused or have one")
  func stability() async throws {
    let originals = Self.vectors.map { Array($0["input"].text.utf8) }
    var accepted = 0
    await Fuzzing.manyTimes(3_000, of: "JSON texts") { generator in
      let original = originals.randomElement(using: &generator) ?? []
      let text = Fuzzing.mutated(original, &generator)
      guard let form = try? CanonicalJSON.form(ofText: text) else { return }
      accepted += 1
      #expect((try? CanonicalJSON.form(ofText: form)) == form)
      // The form means the same to the parser for messages.
      let value = try? JSONValue(text: String(decoding: text, as: UTF8.self))
      #expect(value.flatMap { try? CanonicalJSON.form(of: $0) } == form)
    }
    #expect(accepted > 100)
  }
}
