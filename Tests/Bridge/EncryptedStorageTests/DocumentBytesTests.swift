import TesseraBridge
import TesseraLinuxProviders
import TesseraThreads
import TestSupport
import Testing

@Suite("Documents with arbitrary JSON")
struct DocumentBytesTests {
  private let router: MessageRouter
  private let place: StorageFolder

  init() throws {
    place = try StorageFolder()
    let documents = EncryptedDocumentsProvider(store: place.store())
    let registry = SdkProviderRegistry()
    registry.register { $0.documents = documents }
    router = MessageRouter(handlers: [DocumentsBridgeHandler(registry: registry)])
  }

  /// Stores and loads a document, and returns the `data` of the response as JSON text.
  private func stored(_ value: String) async throws -> String {
    func ask(_ method: String, _ parameters: String) async throws -> String {
      let answer = Locked("")
      await router.route(
        #"{"type":"request","version":1,"id":"1","domain":"documents","method":""# + method
          + #"","params":{"key":"k""# + parameters + #"},"timestamp":1}"#, from: .local
      ) { message in answer.withLock { $0 = message.text } }
      return answer.withLock { $0 }
    }
    let answer = try await ask("set", #","value":"# + value)
    try #require(try JSONValue(text: answer)["success"] == true, "\(value) was answered \(answer)")
    let document = try await ask("get", "")
    let (before, after) = (try #require(document.utf8.firstRange(of: Array(#""data":"#.utf8))), #","error":null}"#)
    try #require(document.utf8.suffix(after.utf8.count).elementsEqual(after.utf8), "\(document)")
    return String(decoding: document.utf8[before.upperBound...].dropLast(after.utf8.count), as: UTF8.self)
  }

  @Test("keeps members whose names differ only in Unicode normalization")
  func lookalikes() async throws {
    let text = "{\"\u{E9}\":1,\"e\u{301}\":2,\"K\":3,\"\u{212A}\":4,\"\u{3A9}\":5,\"\u{2126}\":6}"
    let found = try await stored(text)
    #expect(Array(found.utf8) == Array(text.utf8))
    guard case .object(let members) = try JSONValue(text: found) else { return #expect(Bool(false), "no object") }
    #expect(members.count == 6)
    #expect(members.names.compactMap { members[$0] } == [1, 2, 3, 4, 5, 6])
  }

  @Test("returns the same members with the same bytes in the same order")
  func anyDocument() async throws {
    var generator = SeededGenerator(seed: 11)
    var members = 0
    for _ in 0..<150 {
      let text = JSONText.structure(4, &generator)
      let found = try await stored(text)
      #expect(Array(found.utf8) == Array(text.utf8), "\(text) came out as \(found)")
      members += text.utf8.count { $0 == UInt8(ascii: ":") }
    }
    #expect(members > 1_000)
  }

  @Test("keeps the last of several members with one name, in the position of the first, as browsers do")
  func duplicates() async throws {
    #expect(try await stored(#"{"a":1,"b":2,"\u0061":3}"#) == #"{"a":3,"b":2}"#)
  }
}

/// An independent JSON writer: compact, with mandatory escapes only.
private enum JSONText {
  static func structure(_ depth: Int, _ generator: inout SeededGenerator) -> String {
    let count = Int.random(in: 0...(Int.random(in: 0..<8, using: &generator) == 0 ? 40 : 5), using: &generator)
    if Bool.random(using: &generator) {
      return "[" + (0..<count).map { _ in value(depth - 1, &generator) }.joined(separator: ",") + "]"
    }
    // Compares bytes: names in different normal forms are different names.
    var names = Set<[UInt8]>()
    let members = (0..<count).compactMap { _ -> String? in
      let name = text(&generator)
      let value = value(depth - 1, &generator)
      return names.insert(Array(name.utf8)).inserted ? "\(name):\(value)" : nil
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func value(_ depth: Int, _ generator: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 5 : 3), using: &generator) {
    case 0: ["null", "true", "false"].randomElement(using: &generator) ?? "null"
    case 1: number(&generator)
    case 2: text(&generator)
    default: structure(depth, &generator)
    }
  }

  private static func number(_ generator: inout SeededGenerator) -> String {
    let digits = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
      String(Int.random(in: 0...9, using: &generator))
    }
    let sign = Bool.random(using: &generator) ? "-" : ""
    let integer = Bool.random(using: &generator) ? "0" : "7" + digits.joined()
    let fraction = Bool.random(using: &generator) ? "." + digits.joined() : ""
    let exponents = ["", "", "e5", "E+05", "e-7", "E400"]
    return sign + integer + fraction + (exponents.randomElement(using: &generator) ?? "")
  }

  private static func text(_ generator: inout SeededGenerator) -> String {
    let pieces = [
      "a", "b", "k", "K", "\u{212A}", "\u{3A9}", "\u{2126}", "\u{E9}", "e\u{301}", "e", "\u{301}", "\u{316}", "\u{327}",
      "\u{1100}\u{1161}", "\u{AC00}", "\u{200D}", "👩", "\u{FEFF}", "\u{0}", "\n", "\t", "\u{1f}", "\\", "\"", "/",
      "\u{7f}",
      "\u{2028}", "😀", " ", "中", "\u{FFFD}", "doc_",
    ]
    let count = Int.random(in: 0...(Int.random(in: 0..<20, using: &generator) == 0 ? 200 : 6), using: &generator)
    let content = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "x" }.joined()
    return "\"" + content.unicodeScalars.map(escaped).joined() + "\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": "\\\""
    case "\\": "\\\\"
    case "\n": "\\n"
    case "\t": "\\t"
    case "\u{0}": "\\u0000"
    case "\u{1f}": "\\u001f"
    default: String(scalar)
    }
  }
}
