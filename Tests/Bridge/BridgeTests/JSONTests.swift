import BridgeVectors
import Foundation
import TesseraBridge
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraJSON

@Suite("JSON parser")
struct JSONTests {
  @Test("preserves integers and numbers of any size")
  func numbers() throws {
    for text in [
      "0", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808", "1.5", "1e+300", "5e-324", "true",
      "false", "null", "\"a\"", "[1,[]]", "{\"a\":{}}", "1.0", "-0.0", "-0", "1E2", "1e-7", "9223372036854775808",
      "0.10000000000000000000000000000000001", "1e400", "-" + String(repeating: "9", count: 900_000),
    ] {
      #expect(try JSONValue(text: text).text == text)
    }
    func double(_ text: String) throws -> Double? {
      guard case .number(let number) = try JSONValue(text: text) else { return nil }
      return number.double
    }
    #expect(try double("9223372036854775808") == 9_223_372_036_854_775_808)
    #expect(try double("1E2") == 100)
    #expect(try double("1e-400") == 0)
    #expect(try double("1e400") == nil)
    #expect(JSONNumber(.nan) == nil && JSONNumber(.infinity) == nil)
  }

  @Test(
    "rejects texts that are not JSON",
    arguments: [
      "", " ", "nul", "nulls", "tru", "True", "NaN", "Infinity", "-", "+1", "01", "-01", ".5", "1.", "1.e2", "1e",
      "1e+",
      "0x1", "1 2", "[1,]", "[,1]", "[1 2]", "[", "]", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}",
      "'a'", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u", "\"a\nb\"", "\"\t\"", "\"\u{0}\"",
      "\u{0}",
      "null\u{0}", "\u{FEFF}null", "[1]]", "// a\n1", "{\"a\":1}{}", "\u{A0}1", "[\"a\":1]",
    ])
  func malformed(_ text: String) { #expect(Self.reason(text) == .syntax) }

  @Test("characters that a terminal obeys, or that turn the writing direction, are escaped")
  func obeyedCharacters() throws {
    let text = "\u{80}\u{9B}31m\u{9F}\u{A0}é\u{2019}\u{202A}\u{202E}\u{2066}\u{2069}\u{206A}😀"
    let value = JSONValue.string(text)
    #expect(value.text == "\"\\u0080\\u009b31m\\u009f\u{A0}é\u{2019}\\u202a\\u202e\\u2066\\u2069\\u206a😀\"")
    #expect(try JSONValue(text: value.text) == value)
  }

  @Test("reports nesting and lone surrogates separately and quotes no text")
  func limits() throws {
    for lone in [
      #""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\ud83d""#, #""\ud83d\u0041""#,
      #""\udfff\ud800""#,
    ] {
      #expect(Self.reason(lone) == .loneSurrogate, "\(lone)")
    }
    #expect(Self.reason(#""\ud83d\u""#) == .syntax)
    #expect(throws: JSONError(reason: .syntax, offset: 10)) { try JSONValue(text: #"["SECRET",!]"#).text.isEmpty }
    let description = JSONError(reason: .loneSurrogate, offset: 3).description
    #expect(description == "The JSON text contains half of a surrogate pair (at byte 3).")
  }

  @Test("enforces the maximum nesting of arrays and objects")
  func nesting() throws {
    let limit = JSONValue.maximumNesting
    func lists(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    func objects(_ depth: Int) -> String {
      String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
    }
    for text in [lists(limit), objects(limit)] { #expect(try JSONValue(text: text).text == text) }
    for text in [lists(limit + 1), objects(limit + 1), lists(1_000_000), String(repeating: "[{\"\":", count: 300_000)] {
      #expect(Self.reason(text) == .nesting)
    }
    // The limit applies to the depth, not to the number of arrays.
    #expect(try JSONValue(text: "[" + Array(repeating: "[]", count: 10_000).joined(separator: ",") + "]") != .null)
  }

  @Test("escapes")
  func escapes() throws {
    #expect(try JSONValue(text: #""\"\\\/\b\f\n\r\tAé\u2028😀""#) == "\"\\/\u{8}\u{C}\n\r\tAé\u{2028}😀")
    #expect(
      JSONValue.string("\"\\/\u{8}\u{C}\n\r\t\u{1}\u{1f}\u{7f}é\u{2028}😀").text == #""\"\\/\b\f\n\r\t\u0001\u001f"#
        + #"\u007fé\u2028😀""#)
    #expect(try JSONValue(text: #""\u0000""#) == "\u{0}")
  }

  @Test("uses the last of several members with one name")
  func duplicates() throws {
    #expect(try JSONValue(text: #"{"a":1,"b":2,"a":{"a":3}}"#) == ["a": ["a": 3], "b": 2])
    let request = BridgeRequest(
      text: #"{"domain":"haptic","id":"1","version":1,"method":"trigger","params":{},"timestamp":1,"domain":"crypto"}"#)
    #expect(request?.domain == .crypto)
  }

  @Test("writes one line that parses to the same value, also with Foundation")
  func roundTrip() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<3_000 {
      let value = Self.value(3, &generator)
      let text = value.text
      #expect(!text.utf8.contains(0x0A) && !text.utf8.contains(0x0D))
      #expect(try JSONValue(text: text) == value)
      let foundation = try JSONDecoder().decode(FoundationJSON.self, from: Data(text.utf8))
      #expect(foundation.isSame(as: value), "\(text)")
    }
  }

  @Test("accepts a damaged text only if Foundation reads the same value from it")
  func fuzz() async throws {
    let alphabet = Array("{}[]\",:\\u0123456789abcdefDd8eE+-.tnrl \n\u{1}é😀")
    var taken = 0
    let turns = await Fuzzing.manyTimes(20_000, of: "damaged JSON") { generator in
      var characters = Array(Self.value(2, &generator).text)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0...characters.count, using: &generator)
        let new = alphabet.randomElement(using: &generator) ?? "x"
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: characters.insert(new, at: place)
        case 1: if place < characters.count { characters.remove(at: place) }
        default: if place < characters.count { characters[place] = new }
        }
      }
      let text = String(characters)
      guard let value = try? JSONValue(text: text) else { return }
      taken += 1
      // Foundation uses the first of several members of one name, and rejects numbers that a double cannot represent.
      guard Self.members(of: value) == Self.colons(in: text), Self.hasOnlyDoubles(value) else { return }
      let foundation = try? JSONDecoder().decode(FoundationJSON.self, from: Data(text.utf8))
      #expect(foundation?.isSame(as: value) == true, "\(text)")
    }
    #expect(taken > turns / 20)
  }

  private static func hasOnlyDoubles(_ value: JSONValue) -> Bool {
    switch value {
    case .number(let number): number.double != nil
    case .array(let elements): elements.allSatisfy(hasOnlyDoubles)
    case .object(let fields): fields.members.allSatisfy { hasOnlyDoubles($0.value) }
    default: true
    }
  }

  private static func members(of value: JSONValue) -> Int {
    switch value {
    case .array(let elements): elements.reduce(0) { $0 + members(of: $1) }
    case .object(let fields): fields.members.reduce(fields.count) { $0 + members(of: $1.value) }
    default: 0
    }
  }

  /// Outside of strings.
  private static func colons(in text: String) -> Int {
    var (count, isInside, isEscaped) = (0, false, false)
    for byte in text.utf8 {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInside.toggle()
      } else if byte == UInt8(ascii: ":"), !isInside {
        count += 1
      }
    }
    return count
  }

  private static func reason(_ text: String) -> JSONError.Reason? {
    do {
      _ = try JSONValue(text: text)
      return nil
    } catch {
      return error.reason
    }
  }

  private static func value(_ depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .integer(Int64.random(in: .min ... .max, using: &generator))
    case 3: return .integer(Int64.random(in: -9...9, using: &generator))
    case 4: return JSONNumber(Double.random(in: -1e6...1e6, using: &generator)).map(JSONValue.number) ?? .null
    case 5: return .string(text(&generator))
    case 6:
      return .array((0..<Int.random(in: 0...4, using: &generator)).map { _ in value(depth - 1, &generator) })
    default:
      let members = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
        (text(&generator), value(depth - 1, &generator))
      }
      return .object(members.reduce(into: JSONObject()) { $0[$1.0] = $1.1 })
    }
  }

  private static func text(_ generator: inout SeededGenerator) -> String {
    let scalars = Array("ab\"\\/\n\r\t\u{0}\u{1f}\u{7f}é😀\u{2028}中".unicodeScalars)
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...8, using: &generator) {
      text.append(scalars.randomElement(using: &generator) ?? "x")
    }
    return String(text)
  }
}

/// JSON as Foundation's decoder reads it.
private indirect enum FoundationJSON: Decodable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([FoundationJSON])
  case object([String: FoundationJSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([FoundationJSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: FoundationJSON].self))
    }
  }

  func isSame(as value: JSONValue) -> Bool {
    switch (self, value) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.integer(let one), .integer(let other)): one == other
    // It decodes large numbers with a fraction as integers.
    case (.integer(let one), .number(let other)): other.double.map { abs(Double(one) - $0) <= $0.ulp } ?? false
    case (.number(let one), .number(let other)): one == other.double
    case (.string(let one), .string(let other)): Array(one.utf8) == Array(other.utf8)
    case (.array(let one), .array(let other)):
      one.count == other.count && zip(one, other).allSatisfy { $0.isSame(as: $1) }
    case (.object(let one), .object(let other)):
      one.count == other.count && one.allSatisfy { name, member in other[name].map(member.isSame) ?? false }
    default: false
    }
  }
}

@Suite("Invalid messages")
struct HostileMessageTests {
  @Test("unreadable messages do not crash, and those with an identifier are answered")
  func hostile() async {
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: SdkProviderRegistry()))
    let deep = String(repeating: "[", count: 100_000)
    func request(_ fields: String) -> String {
      #"{"type":"request","version":1,"id":"a","domain":"haptic","method":"trigger","params":{},"timestamp":1"# + fields
        + "}"
    }
    #expect(BridgeRequest(text: request("")) != nil)
    for text in [
      deep, deep + String(repeating: "]", count: 100_000), request(#","id":7"#), request(#","id":"\ud800""#),
      "{\"type\":null}", "null", "1", "true", "\"", "{",
    ] {
      await router.route(text, from: .local) { _ in #expect(Bool(false), "\(text.prefix(200)) was answered") }
    }
    for fields in [
      #","type":null"#, #","type":1"#, #","method":null"#, #","params":null"#, #","domain":"Haptic""#,
      #","domain":"__proto__""#,
    ] {
      let codes = Locked<[JSONValue?]>([])
      await router.route(request(fields), from: .local) { message in
        codes.withLock { $0.append(message.json["error"]?["code"]) }
      }
      #expect(codes.withLock(\.self) == ["MALFORMED_REQUEST"], "\(fields)")
    }
  }

  @Test("no method crashes for parameters of any type")
  func anyParameters() async throws {
    let environment = try VectorEnvironment(
      given: Vector(["nfc": ["chip": "synthetic"], "camera": ["rawResult": "{}"]]))
    let names = [
      "key", "value", "id", "data", "document", "catalog", "keyRef", "type", "style", "routeName", "params", "reason",
      "passportNumber", "dateOfBirth", "dateOfExpiry", "canNumber", "useCan", "apduCommands", "scanRect",
      "documentType",
      "event", "name", "level", "properties", "success", "errorCode", "error", "claims", "proof", "requireBiometric",
    ]
    let deep = try JSONValue(text: String(repeating: "[", count: 60) + String(repeating: "]", count: 60))
    let values: [JSONValue] = [
      nil, true, -1, .integer(.min), .number(JSONNumber(grammatical: "1e300")), "", "x", "\u{0}\u{202E}",
      .string(String(repeating: "a", count: 100_000)),
      [], [1, "a", nil], [:], ["x": 0, "y": .number(JSONNumber(grammatical: "1e300")), "width": -1, "height": "1"],
      deep,
    ]
    var answers = 0
    let coverage = BridgeVectors.fixture["methodCoverage"]
    for name in coverage.keys {
      for method in coverage[name].list.map(\.text) {
        for value in values {
          let domain = try #require(BridgeDomain(rawValue: name))
          let parameters = BridgeParameters(JSONObject(Dictionary(uniqueKeysWithValues: names.map { ($0, value) })))
          let request = BridgeRequest(id: "1", domain: domain, method: method, parameters: parameters)
          let count = Locked(0)
          await environment.router.route(request) { message in
            if case .response = message { count.withLock { $0 += 1 } }
            #expect((try? JSONValue(text: message.text)) != nil)
          }
          #expect(count.withLock { $0 } == 1, "\(name).\(method)")
          answers += 1
        }
      }
    }
    #expect(answers == 53 * values.count)
  }
}
