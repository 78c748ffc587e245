import TesseraJSON

/// A JSON text that was read for its canonical form (RFC 8785).
///
/// `JSONReader` cannot serve here: of two members with one name it takes the last one, as browsers do, and it repairs
/// bytes that are not UTF-8. A signed text must mean the same to every reader.
package struct StrictJSON: Sendable {
  /// In bytes.
  package static let maximumLength = 65_536
  /// Of arrays and objects. Every level takes some of the thread's stack.
  package static let maximumNesting = 32

  /// The value. Numbers have their digits as received. If there is a defect, this is for recognising the text only.
  package let value: JSONValue
  /// The first place that the grammar of JSON permits and I-JSON does not: then the text has no canonical form.
  package let defect: CanonicalJSONError?

  /// - Throws: `CanonicalJSONError` if the text is too long, not UTF-8, not JSON (RFC 8259), or nested too deeply.
  package init(_ text: [UInt8]) throws(CanonicalJSONError) {
    guard text.count <= Self.maximumLength else { throw CanonicalJSONError(.length) }
    guard String(validating: text, as: UTF8.self) != nil else { throw CanonicalJSONError(.encoding) }
    var scanner = JSONScanner(text)
    value = try scanner.text()
    defect = scanner.defect
  }
}

/// Reads one text of valid UTF-8 by the grammar of RFC 8259. The cost is linear.
private struct JSONScanner {
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0
  private(set) var defect: CanonicalJSONError?

  init(_ text: [UInt8]) { bytes = text }

  mutating func text() throws(CanonicalJSONError) -> JSONValue {
    let value = try value()
    skipSpace()
    guard position == bytes.count else { throw error(.syntax) }
    return value
  }

  /// The byte at the position; at the end zero, which no rule of the grammar accepts.
  private var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

  private mutating func value() throws(CanonicalJSONError) -> JSONValue {
    skipSpace()
    switch current {
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

  private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(CanonicalJSONError) -> JSONValue {
    let end = position + word.utf8CodeUnitCount
    let isWord = word.withUTF8Buffer { end <= bytes.count && bytes[position..<end].elementsEqual($0) }
    guard isWord else { throw error(.syntax) }
    position = end
    return value
  }

  // MARK: - Arrays and objects

  private mutating func object() throws(CanonicalJSONError) -> JSONValue {
    try beginNesting()
    var members = JSONObject()
    if consume(UInt8(ascii: "}")) { return endNesting(.object(members)) }
    while true {
      skipSpace()
      let start = position
      guard current == UInt8(ascii: "\"") else { throw error(.syntax) }
      let name = try string()
      guard consume(UInt8(ascii: ":")) else { throw error(.syntax) }
      // Names are compared without their escapes, by their UTF-8.
      if members[name] != nil { note(.duplicateName, at: start) }
      members[name] = try value()
      if consume(UInt8(ascii: "}")) { return endNesting(.object(members)) }
      guard consume(UInt8(ascii: ",")) else { throw error(.syntax) }
    }
  }

  private mutating func array() throws(CanonicalJSONError) -> JSONValue {
    try beginNesting()
    var elements: [JSONValue] = []
    if consume(UInt8(ascii: "]")) { return endNesting(.array(elements)) }
    while true {
      elements.append(try value())
      if consume(UInt8(ascii: "]")) { return endNesting(.array(elements)) }
      guard consume(UInt8(ascii: ",")) else { throw error(.syntax) }
    }
  }

  private mutating func beginNesting() throws(CanonicalJSONError) {
    guard depth < StrictJSON.maximumNesting else { throw error(.nesting) }
    depth += 1
    position += 1
  }

  private mutating func endNesting(_ value: JSONValue) -> JSONValue {
    depth -= 1
    return value
  }

  private mutating func consume(_ byte: UInt8) -> Bool {
    skipSpace()
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while true {
      switch current {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
      default: return
      }
    }
  }

  // MARK: - Numbers

  private mutating func number() throws(CanonicalJSONError) -> JSONValue {
    let start = position
    if current == UInt8(ascii: "-") { position += 1 }
    if current == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
    if current == UInt8(ascii: ".") {
      position += 1
      try skipDigits()
    }
    if current | 0x20 == UInt8(ascii: "e") {
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
    let number = JSONNumber(grammatical: String(decoding: bytes[start..<position], as: UTF8.self))
    if CanonicalNumber(number) == nil { note(.number, at: start) }
    return .number(number)
  }

  /// Skips at least one digit.
  private mutating func skipDigits() throws(CanonicalJSONError) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard digits ~= current else { throw error(.syntax) }
    while digits ~= current { position += 1 }
  }

  // MARK: - Strings

  private mutating func string() throws(CanonicalJSONError) -> String {
    position += 1
    var content: [UInt8] = []
    while true {
      let start = position
      while current >= 0x20, current != UInt8(ascii: "\""), current != UInt8(ascii: "\\") { position += 1 }
      content += bytes[start..<position]
      switch current {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        try escape(into: &content)
      default: throw error(.syntax)  // a control character, or the end
      }
    }
  }

  /// Reads what follows a reverse solidus.
  private mutating func escape(into content: inout [UInt8]) throws(CanonicalJSONError) {
    let plain: UInt8
    switch current {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = current
    case UInt8(ascii: "b"): plain = 0x08
    case UInt8(ascii: "f"): plain = 0x0C
    case UInt8(ascii: "n"): plain = 0x0A
    case UInt8(ascii: "r"): plain = 0x0D
    case UInt8(ascii: "t"): plain = 0x09
    case UInt8(ascii: "u"):
      content += Array(String(try scalar()).utf8)
      return
    default: throw error(.syntax)
    }
    content.append(plain)
    position += 1
  }

  /// Reads the scalar of one `\u` escape or of a surrogate pair of them. The position is that of the `u`.
  private mutating func scalar() throws(CanonicalJSONError) -> Unicode.Scalar {
    let start = position
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let end = position
    if UTF16.isLeadSurrogate(unit), current == UInt8(ascii: "\\") {
      position += 1
      if current == UInt8(ascii: "u") {
        let low = try codeUnit()
        let value = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF))
        if UTF16.isTrailSurrogate(low), let scalar = Unicode.Scalar(value) { return scalar }
      }
    }
    // The next escape is one of its own.
    position = end
    note(.loneSurrogate, at: start)
    return "\u{FFFD}"
  }

  /// Reads the four digits after a `u`.
  private mutating func codeUnit() throws(CanonicalJSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      position += 1
      guard let digit = current.hexadecimalValue else { throw error(.syntax) }
      unit = unit << 4 | UInt16(digit)
    }
    position += 1
    return unit
  }

  // MARK: - Errors

  private mutating func note(_ reason: CanonicalJSONError.Reason, at offset: Int) {
    if defect == nil { defect = CanonicalJSONError(reason, offset: offset) }
  }

  private func error(_ reason: CanonicalJSONError.Reason) -> CanonicalJSONError {
    CanonicalJSONError(reason, offset: position)
  }
}
