internal import TesseraCore

/// A strict parser of one JSON text (RFC 8259): no comments, no trailing commas, nothing after the value.
///
/// Of several members with one name the last one counts, as in browsers (ECMA-262, 25.5.1). The nesting depth is
/// limited, so that no text can exhaust the stack of a thread.
package struct JSONReader {
  /// The UTF-8 of the text and a final zero, which no rule of the grammar accepts: so no rule reads beyond the end.
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0
  private let maximumNesting: Int

  init(_ text: some StringProtocol, maximumNesting: Int = JSONValue.maximumNesting) {
    self.init(text.utf8, maximumNesting: maximumNesting)
  }

  package init(_ text: some Collection<UInt8>, maximumNesting: Int = JSONValue.maximumNesting) {
    self.maximumNesting = maximumNesting
    var bytes = [UInt8]()
    bytes.reserveCapacity(text.count + 1)
    bytes.append(contentsOf: text)
    bytes.append(0)
    self.bytes = bytes
  }

  /// Parses the whole text.
  mutating func text() throws(JSONError) -> JSONValue {
    let value = try value()
    skipSpace()
    guard position == bytes.count - 1 else { throw error(.syntax) }
    return value
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    skipSpace()
    switch bytes[position] {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: throw error(.syntax)
    }
  }

  // MARK: - Structures

  private mutating func object() throws(JSONError) -> JSONValue {
    try beginNesting()
    var members = JSONObject()
    if consume(UInt8(ascii: "}")) { return endNesting(.object(members)) }
    while true {
      skipSpace()
      guard bytes[position] == UInt8(ascii: "\"") else { throw error(.syntax) }
      let name = try string()
      guard consume(UInt8(ascii: ":")) else { throw error(.syntax) }
      members[name] = try value()
      if consume(UInt8(ascii: "}")) { return endNesting(.object(members)) }
      guard consume(UInt8(ascii: ",")) else { throw error(.syntax) }
    }
  }

  private mutating func array() throws(JSONError) -> JSONValue {
    try beginNesting()
    var elements: [JSONValue] = []
    if consume(UInt8(ascii: "]")) { return endNesting(.array(elements)) }
    while true {
      elements.append(try value())
      if consume(UInt8(ascii: "]")) { return endNesting(.array(elements)) }
      guard consume(UInt8(ascii: ",")) else { throw error(.syntax) }
    }
  }

  private mutating func beginNesting() throws(JSONError) {
    guard depth < maximumNesting else { throw error(.nesting) }
    depth += 1
    position += 1
  }

  private mutating func endNesting(_ value: JSONValue) -> JSONValue {
    depth -= 1
    return value
  }

  private mutating func consume(_ byte: UInt8) -> Bool {
    skipSpace()
    guard bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while true {
      switch bytes[position] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
      default: return
      }
    }
  }

  private mutating func literal(_ literal: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
    let end = position + literal.utf8CodeUnitCount
    let matches = literal.withUTF8Buffer { end < bytes.count && bytes[position..<end].elementsEqual($0) }
    guard matches else { throw error(.syntax) }
    position = end
    return value
  }

  // MARK: - Numbers

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    if bytes[position] == UInt8(ascii: "0") {
      position += 1
    } else {
      try skipDigits()
    }
    var isInteger = true
    if bytes[position] == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      try skipDigits()
    }
    if bytes[position] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      position += 1
      if bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
    let digits = String(decoding: bytes[start..<position], as: UTF8.self)
    // Minus zero as an integer would lose its sign.
    if isInteger, digits.utf8.count <= 20, digits != "-0", let integer = Int64(digits) { return .integer(integer) }
    return .number(JSONNumber(grammatical: digits))
  }

  /// Skips at least one digit.
  private mutating func skipDigits() throws(JSONError) {
    guard Self.isDigit(bytes[position]) else { throw error(.syntax) }
    while Self.isDigit(bytes[position]) { position += 1 }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  // MARK: - Strings

  private mutating func string() throws(JSONError) -> String {
    position += 1
    var start = position
    skipPlainText()
    if bytes[position] == UInt8(ascii: "\"") {
      defer { position += 1 }
      return String(decoding: bytes[start..<position], as: UTF8.self)
    }
    var content: [UInt8] = []
    while true {
      content.append(contentsOf: bytes[start..<position])
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        try escape(into: &content)
        start = position
        skipPlainText()
      default: throw error(.syntax)  // a control character, or the end
      }
    }
  }

  /// Skips to the next quote, escape or control character.
  private mutating func skipPlainText() {
    while true {
      let byte = bytes[position]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
      position += 1
    }
  }

  private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
    let letter = bytes[position]
    let plain: UInt8
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = letter
    case UInt8(ascii: "b"): plain = 0x08
    case UInt8(ascii: "f"): plain = 0x0C
    case UInt8(ascii: "n"): plain = 0x0A
    case UInt8(ascii: "r"): plain = 0x0D
    case UInt8(ascii: "t"): plain = 0x09
    case UInt8(ascii: "u"):
      content.append(contentsOf: UTF8.encode(try scalar()) ?? UTF8.encodedReplacementCharacter)
      return
    default: throw error(.syntax)
    }
    content.append(plain)
    position += 1
  }

  /// Reads the scalar of one `\u` escape or of a surrogate pair of them. The position is that of the `u`.
  private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
    let start = position
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard (0xD800..<0xDC00).contains(unit), bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw error(.loneSurrogate, at: start) }
    position += 1
    let low = try codeUnit()
    guard (0xDC00..<0xE000).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF)))
    else { throw error(.loneSurrogate, at: start) }
    return scalar
  }

  private mutating func codeUnit() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      position += 1
      guard let digit = bytes[position].hexadecimalValue else { throw error(.syntax) }
      unit = unit << 4 | UInt16(digit)
    }
    position += 1
    return unit
  }

  // MARK: - Incomplete texts

  /// Returns the string members with these names of the outermost object. The text may be incomplete; other members are
  /// skipped at any depth.
  package mutating func outline(of names: [String]) -> JSONObject {
    var found = JSONObject()
    try? outline(of: names, into: &found)
    return found
  }

  private mutating func outline(of names: [String], into found: inout JSONObject) throws(JSONError) {
    guard consume(UInt8(ascii: "{")) else { return }
    repeat {
      guard let name = try optionalString(), consume(UInt8(ascii: ":")) else { return }
      if names.contains(where: name.hasBytes) { found[name] = try optionalString().map(JSONValue.string) }
      try skipValue()
    } while consume(UInt8(ascii: ","))
  }

  /// Reads a string; nil for another value and for half of a surrogate pair.
  private mutating func optionalString() throws(JSONError) -> String? {
    skipSpace()
    guard bytes[position] == UInt8(ascii: "\"") else { return nil }
    let start = position
    try skipString()
    let end = position
    position = start
    defer { position = end }
    return try? string()
  }

  private mutating func skipString() throws(JSONError) {
    position += 1
    while true {
      skipPlainText()
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\") where position + 2 < bytes.count: position += 2
      default: throw error(.syntax)
      }
    }
  }

  /// Skips to the end of a member: a comma or the end of its object.
  private mutating func skipValue() throws(JSONError) {
    var open = 0
    while true {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        try skipString()
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): open += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard open > 0 else { return }
        open -= 1
      case UInt8(ascii: ",") where open == 0: return
      case 0: throw error(.syntax)
      default: break
      }
      position += 1
    }
  }

  private func error(_ reason: JSONError.Reason, at offset: Int? = nil) -> JSONError {
    JSONError(
      reason: reason, offset: offset ?? position, maximumNesting: maximumNesting,
      hasByteOrderMark: bytes.starts(with: JSONValue.mark))
  }
}
