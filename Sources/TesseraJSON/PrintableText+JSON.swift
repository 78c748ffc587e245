package import TesseraCore

extension PrintableText {
  /// JSON with escapes in place of the characters of strings that a terminal may obey, or that change the writing direction
  /// of what follows. Encoders escape only those below U+0020.
  package static func escaped(json text: String) -> String {
    // The first octets of these characters.
    guard text.utf8.contains(where: { $0 == 0xC2 || $0 == 0xE2 }) else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar.value {
      case 0x80...0x9F: result += "\\u00" + String(scalar.value, radix: 16)
      case 0x202A...0x202E, 0x2066...0x2069: result += "\\u" + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
