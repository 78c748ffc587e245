package import TesseraCore

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
