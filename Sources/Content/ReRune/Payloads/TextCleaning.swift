/// Removes from a text of the server what could change how other text is shown: control characters except the tab and
/// the line feed, the separators of lines and paragraphs, the characters that embed, override or isolate a writing
/// direction (Unicode Standard Annex 9, 2), the deprecated format characters beside them, and tag characters, which
/// nobody sees. The marks of a direction (U+200E, U+200F, U+061C) stay: texts in Hebrew and Arabic need them.
enum TextCleaning {
  /// Cleans the text in place.
  ///
  /// - Returns: the new number of bytes.
  static func clean(_ text: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
    var read = 0
    var written = 0
    while read < count {
      let removed = removedLength(text + read, count - read)
      if removed > 0 {
        read += removed
      } else {
        text[written] = text[read]
        read += 1
        written += 1
      }
    }
    return written
  }

  /// The number of bytes of the character if it is removed; otherwise 0.
  private static func removedLength(_ text: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
    switch text[0] {
    case 0x09, 0x0A: 0
    case 0x00..<0x20, 0x7F: 1
    // U+0080 to U+009F
    case 0xC2 where count > 1 && 0x80...0x9F ~= text[1]: 2
    // U+2028 to U+202E, U+2066 to U+206F
    case 0xE2 where count > 2 && text[1] == 0x80 && 0xA8...0xAE ~= text[2]: 3
    case 0xE2 where count > 2 && text[1] == 0x81 && 0xA6...0xAF ~= text[2]: 3
    // U+E0000 to U+E007F
    case 0xF3 where count > 3 && text[1] == 0xA0 && 0x80...0x81 ~= text[2]: 4
    default: 0
    }
  }
}
