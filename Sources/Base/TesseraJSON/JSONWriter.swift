package import TesseraCore

/// Writes JSON on one line. Line breaks in strings are escaped.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []

  package init() { bytes.reserveCapacity(256) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: raw("null")
    case .bool(let flag): raw(flag ? "true" : "false")
    case .integer(let number): bytes.append(contentsOf: String(number).utf8)
    case .number(let number): bytes.append(contentsOf: number.text.utf8)
    case .string(let text): string(text)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(element)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        string(member.name)
        bytes.append(UInt8(ascii: ":"))
        write(member.value)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Writes an object from members with different names, without a `JSONObject`.
  package mutating func writeObject(_ members: [(name: String, value: JSONValue)]) {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      string(member.name)
      bytes.append(UInt8(ascii: ":"))
      write(member.value)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func raw(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { content in
      var start = 0
      // `enumerated()` would ask the runtime for type metadata at each byte of a debug build. Under ThreadSanitizer that
      // takes a lock which all threads share.
      var index = 0
      while index < content.count {
        let byte = content[index]
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
          bytes.append(contentsOf: content[start..<index])
          escape(byte)
          start = index + 1
        }
        index += 1
      }
      bytes.append(contentsOf: content[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x08: raw("\\b")
    case 0x09: raw("\\t")
    case 0x0A: raw("\\n")
    case 0x0C: raw("\\f")
    case 0x0D: raw("\\r")
    case 0..<0x20: bytes.append(contentsOf: UInt16(byte).unicodeEscape.utf8)
    default: bytes += [UInt8(ascii: "\\"), byte]
    }
  }
}

extension PrintableText {
  /// JSON with escapes in place of the characters of strings that a terminal may obey, that change the writing direction of
  /// what follows, or that nobody sees. Encoders escape only those below U+0020.
  package static func escaped(json text: String) -> String {
    guard text.utf8.contains(where: mayBegin) else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      guard isEscaped(scalar.value) else { return result.unicodeScalars.append(scalar) }
      for unit in String(scalar).utf16 { result += unit.unicodeEscape }
    }
  }

  /// Whether the octet is the first one of a character that `isEscaped`.
  private static func mayBegin(_ octet: UInt8) -> Bool {
    switch octet {
    case 0x7F, 0xC2, 0xD8, 0xE1, 0xE2, 0xEF, 0xF3: true
    default: false
    }
  }

  /// DEL and C1, and the separators and format characters that are no part of a script.
  private static func isEscaped(_ value: UInt32) -> Bool {
    switch value {
    case 0x7F...0x9F, 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB,
      0xE0000...0xE007F:
      true
    default: false
    }
  }
}
