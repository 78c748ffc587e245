internal import TesseraCore
package import TesseraJSON
internal import TesseraVerificationPage

/// The words of Tessera's page by their languages, as its script `words.js` has them. A theme replaces them by their names.
package enum PageWords {
  /// By tags in lower case: `en`, of which each language has all names, and the others.
  package static let languages: [String: JSONObject] = {
    let script = BundledContent.verificationPage.files["words.js"]?.bytes ?? []
    var languages: [String: JSONObject] = [:]
    for (tag, name) in [("en", "english"), ("de", "german")] {
      var literal = ScriptObject(script, after: "const \(name) = ")
      if case .object(let words)? = literal?.value() { languages[tag] = words }
    }
    return languages
  }()

  package static var english: JSONObject { languages["en"] ?? JSONObject() }

  /// What a theme has for these words, which whoever translates them writes over: indented JSON.
  ///
  /// - Parameter tag: a language of the page, or one of a region, which begins with the words of the page's language for it,
  ///   such as `de-AT`, or a new one, which has English words at first.
  package static func themeFragment(_ tag: String) -> String {
    let words = ThemeWords.best(tag, of: Array(languages.keys)).flatMap { languages[$0] } ?? english
    let fragment: JSONObject = ["language": .string(tag), "words": .object([tag: .object(words)])]
    return indented(.object(fragment), "")
  }

  private static func indented(_ value: JSONValue, _ margin: String) -> String {
    guard case .object(let object) = value, !object.isEmpty else { return value.text }
    let members = object.members.map { member in
      "\(margin)  \(JSONValue.string(member.name).text): \(indented(member.value, margin + "  "))"
    }
    return "{\n\(members.joined(separator: ",\n"))\n\(margin)}"
  }
}

/// Reads an object of our own script: texts in quotation marks, lists and objects, with names that may lack quotation marks,
/// comments, and commas at the ends.
private struct ScriptObject {
  private var rest: ArraySlice<UInt8>

  /// - Parameter beginning: what stands before it; nil if the script has that nowhere.
  init?(_ script: [UInt8], after beginning: String) {
    let wanted = Array(beginning.utf8)
    guard script.count >= wanted.count,
      let start = (0...script.count - wanted.count).first(where: { script[$0...].starts(with: wanted) })
    else { return nil }
    rest = script[(start + wanted.count)...]
  }

  mutating func value() -> JSONValue? {
    skip()
    switch rest.first {
    case UInt8(ascii: "{"): return object()
    case UInt8(ascii: "["): return array()
    default: return text()
    }
  }

  private mutating func object() -> JSONValue? {
    rest.removeFirst()
    var object = JSONObject()
    while !ends(with: UInt8(ascii: "}")) {
      guard let name = name(), take(UInt8(ascii: ":")), let value = value() else { return nil }
      object[name] = value
      _ = take(UInt8(ascii: ","))
    }
    return .object(object)
  }

  private mutating func array() -> JSONValue? {
    rest.removeFirst()
    var items: [JSONValue] = []
    while !ends(with: UInt8(ascii: "]")) {
      guard let value = value() else { return nil }
      items.append(value)
      _ = take(UInt8(ascii: ","))
    }
    return .array(items)
  }

  private mutating func name() -> String? {
    skip()
    if rest.first == UInt8(ascii: "\"") { return text()?.stringValue }
    let name = rest.prefix { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    rest = rest.dropFirst(name.count)
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }

  /// Texts of the script are texts of JSON.
  private mutating func text() -> JSONValue? {
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    var end = rest.startIndex + 1
    while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") { end += rest[end] == UInt8(ascii: "\\") ? 2 : 1 }
    guard end < rest.endIndex else { return nil }
    defer { rest = rest[(end + 1)...] }
    return try? JSONValue(text: String(decoding: rest[...end], as: UTF8.self))
  }

  /// The end of the script ends everything.
  private mutating func ends(with byte: UInt8) -> Bool { take(byte) || rest.isEmpty }

  private mutating func take(_ byte: UInt8) -> Bool {
    skip()
    guard rest.first == byte else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func skip() {
    while let first = rest.first {
      if [UInt8(ascii: " "), UInt8(ascii: "\n")].contains(first) {
        rest.removeFirst()
      } else if rest.starts(with: "//".utf8) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else {
        return
      }
    }
  }
}
