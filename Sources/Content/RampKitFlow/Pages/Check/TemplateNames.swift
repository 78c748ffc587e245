/// The names in the templates of a text, found by the same rules as on the page (`templates.js`).
struct TemplateNames {
  private(set) var names: [String] = []
  /// Expressions that show nothing, since they are neither a name nor a choice.
  private(set) var unknownForms: [String] = []

  /// As on the page.
  static let longestExpression = 4096

  init(_ text: String) {
    let bytes = Array(text.utf8)
    var position = 0
    while position + 1 < bytes.count {
      guard bytes[position] == UInt8(ascii: "$"), bytes[position + 1] == UInt8(ascii: "{") else {
        position += 1
        continue
      }
      let start = position + 2
      let (end, next) = Self.end(bytes, start)
      if let end { addExpression(bytes[start..<end]) }
      position = next
    }
  }

  /// Where the expression ends; nil if it does not. And where the rest of the text begins.
  private static func end(_ bytes: [UInt8], _ start: Int) -> (end: Int?, next: Int) {
    let limit = min(bytes.count, start + longestExpression)
    var quote: UInt8?
    var quotedBrace: Int?
    var index = start
    while index < limit {
      let byte = bytes[index]
      if let open = quote {
        if byte == UInt8(ascii: "}"), quotedBrace == nil { quotedBrace = index }
        if byte == UInt8(ascii: "\\") { index += 1 } else if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "}") {
        return (index, index + 1)
      } else if byte == UInt8(ascii: "$"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "{") {
        return (nil, index)
      }
      index += 1
    }
    guard quote != nil, let quotedBrace else { return (nil, limit) }
    return (quotedBrace, quotedBrace + 1)
  }

  /// Adds what stands between quotes, spaces and operators.
  private mutating func addExpression(_ expression: ArraySlice<UInt8>) {
    var quote: UInt8?
    var isEscaped = false
    var word: [UInt8] = []
    var found: [String] = []
    var isKnownForm = true
    for byte in expression + [UInt8(ascii: " ")] {
      if let open = quote {
        if !isEscaped, byte == open { quote = nil }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"),
        UInt8(ascii: ">"):
        break
      case UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: "+"), UInt8(ascii: "*"), UInt8(ascii: "/"),
        UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "{"):
        isKnownForm = false
      case _ where HTMLScanner.isSpace(byte): break
      default:
        word.append(byte)
        continue
      }
      if !word.isEmpty { found.append(String(decoding: word, as: UTF8.self)) }
      word = []
    }
    if isKnownForm {
      names += found.filter { Double($0) == nil && $0 != "true" && $0 != "false" }
    } else {
      unknownForms.append(String(decoding: expression, as: UTF8.self))
    }
  }
}
