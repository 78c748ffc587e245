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
