import TesseraJSON

/// The canonical form of JSON (RFC 8785), over which a signature is computed.
package enum CanonicalJSON {
  /// The UTF-8 bytes of the canonical form of a text.
  ///
  /// - Throws: `CanonicalJSONError` if the text has none.
  package static func form(ofText text: [UInt8]) throws(CanonicalJSONError) -> [UInt8] {
    let json = try StrictJSON(text)
    if let defect = json.defect { throw defect }
    return try form(of: json.value)
  }

  /// The UTF-8 bytes of the canonical form of a value.
  ///
  /// - Throws: `CanonicalJSONError` for a number that is too large, and if the value is nested deeper than 32 levels.
  package static func form(of value: JSONValue) throws(CanonicalJSONError) -> [UInt8] {
    var writer = CanonicalWriter()
    try writer.write(value, depth: 0)
    return writer.bytes
  }
}

/// `JSONWriter` writes a similar form; but it may change, and this form may not.
private struct CanonicalWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: JSONValue, depth: Int) throws(CanonicalJSONError) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .integer(let integer): try number(CanonicalNumber(Double(integer)))
    case .number(let decimal): try number(CanonicalNumber(decimal))
    case .string(let text): string(text)
    case .array(let elements): try array(elements, depth: try level(after: depth))
    case .object(let members): try object(members, depth: try level(after: depth))
    }
  }

  private func level(after depth: Int) throws(CanonicalJSONError) -> Int {
    guard depth < StrictJSON.maximumNesting else { throw CanonicalJSONError(.nesting) }
    return depth + 1
  }

  private mutating func number(_ number: CanonicalNumber?) throws(CanonicalJSONError) {
    guard let number else { throw CanonicalJSONError(.number) }
    bytes += number.text.utf8
  }

  private mutating func array(_ elements: [JSONValue], depth: Int) throws(CanonicalJSONError) {
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      try write(element, depth: depth)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Members are sorted by the UTF-16 units of their names (RFC 8785, 3.2.3). That differs from the order of the
  /// scalars for those above U+FFFF, whose surrogates come before U+E000.
  private mutating func object(_ object: JSONObject, depth: Int) throws(CanonicalJSONError) {
    let members = object.members.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      string(member.name)
      bytes.append(UInt8(ascii: ":"))
      try write(member.value, depth: depth)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Only quotes, reverse solidi and the control characters below U+0020 are escaped (RFC 8785, 3.2.2.2).
  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x08: bytes += "\\b".utf8
      case 0x09: bytes += "\\t".utf8
      case 0x0A: bytes += "\\n".utf8
      case 0x0C: bytes += "\\f".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0..<0x20:
        bytes += (byte < 0x10 ? "\\u000" : "\\u00").utf8
        bytes += String(byte, radix: 16).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
