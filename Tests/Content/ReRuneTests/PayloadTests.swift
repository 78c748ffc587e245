import Foundation
import TesseraJSON
import TestSupport
import Testing

@testable import ReRune

@Suite struct PayloadTests {
  private static func texts(_ body: [UInt8], _ type: String? = nil) -> [String: String]? {
    try? TranslationPayload(body, mediaType: type).table().dictionary
  }

  private static func texts(_ body: String) -> [String: String]? { texts(Array(body.utf8)) }

  @Test func bothFormsGiveTheSameTexts() throws {
    let json = try #require(Self.texts(Fixtures.file("Content/ReRuneTests", "rerune-payload.json")))
    let strings = try #require(Self.texts(Fixtures.file("Content/ReRuneTests", "rerune-payload.strings")))
    #expect(json == strings)
    #expect(
      json == [
        "home_title": "Good morning", "cta_start": "Let’s go", "items_count": "%d items",
        "quote": "She said \"hello\"\nand left", "empty_is_valid": "",
      ])
  }

  @Test func valuesOfOtherTypesAreSkipped() {
    #expect(
      Self.texts(Fixtures.file("Content/ReRuneTests", "rerune-payload-mixed-types.json"))
        == ["home_title": "Guten Morgen", "kept": "ja"])
    #expect(Self.texts(#"{"a":[1,{"b":[null]}],"c":"d","e":-1.5e+3,"f":true,"g":"h"}"#) == ["c": "d", "g": "h"])
  }

  @Test(arguments: [
    #"{"a":"b"}"#, " { } ", #"{"a":"1","a":"2"}"#, #"{"a":"1","a":2}"#, #"{"a":"1","b":"2","a":null,"c":"3"}"#,
    #"{"a":1,"a":"2"}"#, #"{"a":"1","a":[],"a":"3"}"#, #"{"e\u0301":"1","\u00e9":2}"#,
    #"{"\u0061":"\ud83d\ude00\n\t\/\\\""}"#, #"{"":""}"#,
    #"{"a":"12345678","b":"1234567","c":"123456789"}"#, #"{"ä€😀":"ä€😀"}"#, #"{"a":"b\u0000c"}"#,
    "{\"a\":\"\u{7F}\"}", #"{"a":{"b":"\u12345"},"c":"d"}"#, #"{"a":1e5,"b":"x"}"#, #"{"a":0,"b":"x"}"#,
    // Invalid texts.
    "", "{", "}", #"{"a"}"#, #"{"a":}"#, #"{"a":"b",}"#, #"{,}"#, #"{"a":"b"}}"#, #"{"a":"b"}]"#, #"{"a":"b""#,
    #"{"a":"b"#,
    #"{"a":"\x"}"#, #"{"a":"\u12g4"}"#, #"{"a":"\u123"}"#, #"{"a":"\ud800"}"#, #"{"a":"\udc00"}"#,
    #"{"a":"\ud800\u0041"}"#,
    #"{"a":"\ud83d\ude0"}"#, #"{"a":01}"#, #"{"a":1.}"#, #"{"a":+1}"#, #"{"a":.5}"#, #"{"a":1e}"#, #"{"a":-}"#,
    #"{"a":nul}"#,
    #"{"a":True}"#, #"{a:"b"}"#, #"{'a':'b'}"#, "{\"a\":\"\n\"}", "{\"a\":\"b\0\"}", "{\"a\":\"b\"}\0",
    #"{"a":"b" "c":"d"}"#,
    #"{"a":[1,]}"#, #"{"a":[1 2]}"#, #"{"a":{"b"}}"#, #"{"a":"\"#, #"{"a":"\u"#, #"{"a":["#, #"{"a":tru"#,
    #"{"a":\#(String(repeating: "[", count: 63))\#(String(repeating: "]", count: 63)),"b":"c"}"#,
    #"{"a":\#(String(repeating: "[", count: 70))\#(String(repeating: "]", count: 70)),"b":"c"}"#,
    #"{"a":\#(String(repeating: "[", count: 100_000))"#,
  ])
  func jsonIsReadAsTheBridgeReadsIt(text: String) throws {
    // The bridge's parser is the reference, except that it counts the levels from the outermost object.
    let reference: [String: String]?
    if case .object(let object)? = try? JSONValue(text: text) {
      reference = Dictionary(
        object.members.compactMap { member in member.value.stringValue.map { (member.name, cleaned($0)) } },
        uniquingKeysWith: { $1 })
    } else {
      reference = nil
    }
    #expect(Self.texts(text) == reference)
  }

  /// The reference for `TextCleaning`, by code points.
  private func cleaned(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { scalar in
          switch scalar.value {
          case 9, 10: true
          case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x206F, 0xE0000...0xE007F: false
          default: true
          }
        }))
  }

  /// Every text that differs from a valid one by one byte is read as the reference reads it, or refused as there.
  @Test func oneChangedByte() throws {
    let valid = Array(
      #"{"key one":"Let’s \"go\" \u00fc\n","b":[1,{"c":null}],"d":"\ud83d\ude00 100%","e":-1.5e3}"#.utf8)
    var refused = 0
    for index in valid.indices {
      for byte in [0, 0x0A, 0x20, 0x22, 0x2C, 0x30, 0x3A, 0x5B, 0x5C, 0x5D, 0x75, 0x7B, 0x7D, 0x80, 0xC3, 0xE2, 0xFF]
        as [UInt8]
      {
        var changed = valid
        changed[index] = byte
        var reference: [String: String]?
        if let text = String(validating: changed, as: UTF8.self),
          text.utf8.first(where: { $0 != 0x20 && $0 != 0x0A }) == 0x7B,
          case .object(let object)? = try? JSONValue(text: text)
        {
          reference = Dictionary(
            object.members.compactMap { member in member.value.stringValue.map { (member.name, cleaned($0)) } },
            uniquingKeysWith: { $1 })
        }
        if reference == nil { refused += 1 }
        #expect(Self.texts(changed) == reference, "byte \(index) is \(byte)")
      }
    }
    #expect(refused > 500)
    for count in valid.indices { #expect(Self.texts(Array(valid.prefix(count))) == nil) }
  }

  @Test(arguments: [
    ("a = b;", ["a": "b"]), ("\"a\"=\"b\";\n// comment\n'c' /* d */ = 'e';", ["a": "b", "c": "e"]),
    ("a-b.c/d:$_1 = x;", ["a-b.c/d:$_1": "x"]), ("\"alone\";", ["alone": "alone"]), ("/* only a comment */", [:]),
    (#""a" = "\U00e4\u20ac\ud83d\ude00\UD83D\UDE00";"#, ["a": "ä€😀😀"]),
    (#""a" = "\t\n\"\\\'\x\101\341";"#, ["a": "\t\n\"\\'xAá"]),
    (#""a" = "1"; "a" = "2";"#, ["a": "2"]), ("\"a\" = \"b\nc\";", ["a": "b\nc"]),
    (#""100%" = "100 %";"#, ["100%": "100 %"]),
    ("\u{FEFF}\"a\" = \"b\";", ["a": "b"]), (#""" = "";"#, ["": ""]),
  ])
  func strings(text: String, expected: [String: String]) {
    #expect(Self.texts(text) == expected)
  }

  @Test(arguments: [
    "a", "a =", "a = b", "a = ;", "= b;", "a b;", "a = \"b;", "a = \"b\\", "/* open", "a = b; /", "a = (b);",
    "a = {b = c;};",
    "a = <00>;", #"a = "\u12";"#, #"a = "\Ud800";"#, #"a = "\ud800\u0041";"#, "[1]", "\0", "a = b;\0",
  ])
  func badStringsAreRefused(text: String) {
    #expect(Self.texts(text) == nil)
  }

  @Test func utf16WithAByteOrderMark() {
    let text = "\"a\" = \"ä😀\";"
    let units = Array(text.utf16)
    let big: [UInt8] = [0xFE, 0xFF] + units.flatMap { unit -> [UInt8] in [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
    let little: [UInt8] = [0xFF, 0xFE] + units.flatMap { unit -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    #expect(Self.texts(big) == ["a": "ä😀"])
    #expect(Self.texts(little) == ["a": "ä😀"])
    #expect(Self.texts(Array(big.dropLast())) == nil)
    #expect(Self.texts([0xFE, 0xFF, 0xD8, 0x00]) == nil)
    #expect(Self.texts([0xFE, 0xFF]) == nil)
  }

  @Test func theMediaTypeDecidesWithoutABrace() {
    #expect(Self.texts(Array("a = b;".utf8), "application/json; charset=utf-8") == nil)
    #expect(Self.texts(Array("a = b;".utf8), "text/plain") == ["a": "b"])
    #expect(Self.texts(Array(#"{"a":"b"}"#.utf8), "text/plain") == ["a": "b"])
  }

  @Test func bytesThatAreNoUTF8AreRefused() {
    #expect(Self.texts(Array(#"{"a":""#.utf8) + [0xC3] + Array(#"","b":"c"}"#.utf8)) == nil)
    #expect(Self.texts(Array(#"{"a":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8)) == nil)
  }

  @Test func sizesAreLimited() throws {
    let size = TranslationPayload.maximumSize
    let frame = #"{"a":""}"#.utf8.count
    func payload(_ count: Int) -> [UInt8] {
      Array(#"{"a":""#.utf8) + Array(repeating: UInt8(ascii: "x"), count: count - frame) + Array(#""}"#.utf8)
    }
    #expect(Self.texts(payload(size))?["a"]?.utf8.count == size - frame)
    #expect(Self.texts(payload(size + 1)) == nil)
    func keys(_ count: Int) -> String { "{" + (0..<count).map { "\"\($0)\":\"\"" }.joined(separator: ",") + "}" }
    #expect(Self.texts(keys(200_000))?.count == 200_000)
    #expect(Self.texts(keys(200_001)) == nil)
    // It is refused at that key, and the rest is not read.
    let endless = keys(200_001).dropLast() + ",syntax"
    let error = #expect(throws: PayloadError.self) { try TranslationPayload(Array(endless.utf8)).table() }
    #expect(error?.reason == .tooLarge)
    let lines = (0...200_000).map { "k\($0);" }.joined() + "\0"
    let other = #expect(throws: PayloadError.self) { try TranslationPayload(Array(lines.utf8)).table() }
    #expect(other?.reason == .tooLarge)
  }

  @Test func controlAndDirectionCharactersAreRemoved() {
    #expect(
      Self.texts(#"{"a":"1\u0007\u001b[2J\u0085\u202e\u2066x\u2069\u202C2\r\n\t\u200f\u061c€"}"#)
        == ["a": "1[2Jx2\n\t\u{200F}\u{61C}€"])
    #expect(
      Self.texts("a = \"1\u{2028}\u{2029}\u{206A}\u{206F}\u{E0001}\u{E0020}\u{E007F}\u{E0100}2\u{2027}\";") == [
        "a": "1\u{E0100}2\u{2027}"
      ])
    #expect(Self.texts("\"a\" = \"\\a\u{202E}b\u{7F}\";") == ["a": "b"])
    // Keys are compared, not shown.
    #expect(Self.texts(#"{"\u202ea":"b"}"#) == ["\u{202E}a": "b"])
  }
}
