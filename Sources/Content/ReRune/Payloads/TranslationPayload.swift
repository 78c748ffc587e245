internal import TesseraCore

/// The texts of one locale as the server sends them: a JSON object, or the text of a `.strings` file.
struct TranslationPayload: Sendable, Equatable {
  enum Format: Sendable {
    case json
    case strings
  }

  /// 4 MiB, also after the conversion to UTF-8.
  static let maximumSize = 4 << 20

  let text: PaddedText
  let format: Format

  /// - Parameters:
  ///   - body: UTF-8, or UTF-16 with a byte order mark.
  ///   - mediaType: decides if the text does not begin with `{`.
  /// - Throws: `PayloadError` if the text is empty, no Unicode or too large. The content is not checked.
  init(_ body: [UInt8], mediaType: String? = nil) throws(PayloadError) {
    guard body.count <= Self.maximumSize else { throw PayloadError(reason: .tooLarge) }
    try self.init(Self.text(body), mediaType: mediaType)
  }

  /// - Parameter text: UTF-8 without a byte order mark.
  init(_ text: PaddedText, mediaType: String? = nil) throws(PayloadError) {
    guard text.count <= Self.maximumSize else { throw PayloadError(reason: .tooLarge) }
    guard let first = text.bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
      // Nothing at all is rather the mistake of a server than the wish to have no texts.
      throw PayloadError(reason: .syntax)
    }
    self.text = text
    // No `.strings` file begins with a brace. JSON that begins with something else is invalid as a payload.
    let isJSON = first == UInt8(ascii: "{") || mediaType?.lowercased().contains("json") == true
    format = isJSON ? .json : .strings
  }

  private static func text(_ body: [UInt8]) throws(PayloadError) -> PaddedText {
    let text: PaddedText?
    switch (body.first, body.dropFirst().first) {
    case (0xFE, 0xFF): text = utf16(body) { UInt16($0) << 8 | UInt16($1) }
    case (0xFF, 0xFE): text = utf16(body) { UInt16($1) << 8 | UInt16($0) }
    case (0xEF, 0xBB) where body.dropFirst(2).first == 0xBF: text = PaddedText(body.dropFirst(3))
    default: text = PaddedText(body)
    }
    guard let text else { throw PayloadError(reason: .notUTF8) }
    return text
  }

  private static func utf16(_ body: [UInt8], _ unit: (UInt8, UInt8) -> UInt16) -> PaddedText? {
    guard body.count.isMultiple(of: 2) else { return nil }
    let units = stride(from: 2, to: body.count, by: 2).map { unit(body[$0], body[$0 + 1]) }
    return String(validating: units, as: UTF16.self).flatMap { PaddedText($0.utf8) }
  }

  /// The texts as a table of their own, as if the program had none. Checks the whole content.
  func table() throws(PayloadError) -> StringTable {
    var builder = StringTableBuilder(capacity: capacity)
    try builder.add(self, source: .update)
    return builder.table()
  }

  /// The bytes that the texts take in a table at most.
  var capacity: Int {
    switch format {
    case .json: text.count
    // A key alone is its text, too.
    case .strings: text.count * 2
    }
  }
}

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
