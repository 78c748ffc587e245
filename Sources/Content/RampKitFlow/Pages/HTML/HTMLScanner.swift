/// Divides HTML into tags, texts and comments as a browser does (HTML, 13.2.5), in one pass. It builds no tree and
/// accepts every text.
struct HTMLScanner {
  enum Token {
    case text(Range<Int>)
    case startTag(HTMLTag)
    case endTag(name: String, Range<Int>)
    case doctype(Range<Int>)
    case comment(Range<Int>)
    /// A tag or comment without an end. Browsers drop it; nothing follows.
    case unfinished(Range<Int>)

    var range: Range<Int> {
      switch self {
      case .text(let range), .doctype(let range), .comment(let range), .unfinished(let range): range
      case .endTag(_, let range): range
      case .startTag(let tag): tag.range
      }
    }
  }

  let bytes: [UInt8]
  private var position = 0
  /// The element whose content is text only and whose start tag was the last token.
  private var rawTextElement: String?
  /// The element whose text has no end tag, at the end.
  private(set) var openElement: String?

  /// The elements whose content is not HTML, in a browser that runs scripts.
  static let rawTextElements: Set<String> = [
    "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript",
  ]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> Token? {
    guard position < bytes.count else {
      // The content of a raw text element that ends at once.
      if let element = rawTextElement { openElement = element }
      return nil
    }
    if let element = rawTextElement {
      rawTextElement = nil
      let start = position
      if let end = endTag(of: element) {
        position = end
      } else {
        openElement = element
        position = bytes.count
      }
      if position > start { return .text(start..<position) }
    }
    if isMarkup(position) { return markup() }
    let start = position
    repeat { position += 1 } while position < bytes.count && !isMarkup(position)
    return .text(start..<position)
  }

  /// Goes on at a later token that an earlier scan found.
  mutating func skip(to start: Int) {
    position = max(position, start)
    rawTextElement = nil
  }

  // MARK: - Tokens

  /// Whether a tag or a comment begins here.
  private func isMarkup(_ index: Int) -> Bool {
    guard bytes[index] == UInt8(ascii: "<"), index + 1 < bytes.count else { return false }
    let next = bytes[index + 1]
    return Self.isLetter(next) || next == UInt8(ascii: "!") || next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
  }

  private mutating func markup() -> Token {
    let start = position
    if Self.isLetter(bytes[start + 1]) { return tag(start, nameStart: start + 1, isEnd: false) }
    if bytes[start + 1] == UInt8(ascii: "/"), start + 2 < bytes.count, Self.isLetter(bytes[start + 2]) {
      return tag(start, nameStart: start + 2, isEnd: true)
    }
    if has("<!--", at: start) { return comment(start) }
    let isDoctype = has("<!doctype", at: start)
    guard let end = bytes[start...].firstIndex(of: UInt8(ascii: ">")) else { return unfinished(start) }
    position = end + 1
    return isDoctype ? .doctype(start..<position) : .comment(start..<position)
  }

  private mutating func comment(_ start: Int) -> Token {
    if has(">", at: start + 4) || has("->", at: start + 4) {
      position = start + (has(">", at: start + 4) ? 5 : 6)
      return .comment(start..<position)
    }
    var index = start + 4
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "-") {
        for end in ["-->", "--!>"] where has(end, at: index) {
          position = index + end.utf8.count
          return .comment(start..<position)
        }
      }
      index += 1
    }
    return unfinished(start)
  }

  private mutating func unfinished(_ start: Int) -> Token {
    position = bytes.count
    return .unfinished(start..<position)
  }

  private mutating func tag(_ start: Int, nameStart: Int, isEnd: Bool) -> Token {
    position = nameStart
    while position < bytes.count, !Self.isNameEnd(bytes[position]) { position += 1 }
    let name = lowercased(nameStart..<position)
    var attributes: [HTMLTag.Attribute] = []
    var isSelfClosing = false
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: ">") {
        position += 1
        let range = start..<position
        if isEnd { return .endTag(name: name, range) }
        if Self.rawTextElements.contains(name) { rawTextElement = name }
        return .startTag(HTMLTag(name: name, range: range, attributes: attributes, isSelfClosing: isSelfClosing))
      }
      isSelfClosing = byte == UInt8(ascii: "/")
      if Self.isSpace(byte) || isSelfClosing {
        position += 1
      } else {
        attributes.append(attribute())
      }
    }
    return unfinished(start)
  }

  private mutating func attribute() -> HTMLTag.Attribute {
    let start = position
    // A name may begin with an equals sign.
    repeat {
      position += 1
    } while position < bytes.count && !Self.isNameEnd(bytes[position])
      && bytes[position] != UInt8(ascii: "=")
    let name = start..<position
    var next = position
    while next < bytes.count, Self.isSpace(bytes[next]) { next += 1 }
    guard next < bytes.count, bytes[next] == UInt8(ascii: "=") else {
      return HTMLTag.Attribute(name: lowercased(name), range: name, value: position..<position)
    }
    position = next + 1
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    let value = attributeValue()
    return HTMLTag.Attribute(name: lowercased(name), range: start..<position, value: value)
  }

  /// The value without its quotes. The position is after them.
  private mutating func attributeValue() -> Range<Int> {
    guard position < bytes.count else { return position..<position }
    let quote = bytes[position]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      let start = position
      while position < bytes.count, !Self.isSpace(bytes[position]), bytes[position] != UInt8(ascii: ">") {
        position += 1
      }
      return start..<position
    }
    let start = position + 1
    position = start
    while position < bytes.count, bytes[position] != quote { position += 1 }
    let end = position
    if position < bytes.count { position += 1 }
    return start..<end
  }

  /// Where the end tag of a raw text element begins.
  private func endTag(of element: String) -> Int? {
    let tag = "</" + element
    var index = position
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "<"), has(tag, at: index) {
        let end = index + tag.utf8.count
        if end < bytes.count, Self.isNameEnd(bytes[end]) { return index }
      }
      index += 1
    }
    return nil
  }

  // MARK: - Bytes

  /// Whether the text, which is ASCII in lower case, stands here in any case.
  private func has(_ text: String, at start: Int) -> Bool {
    guard start + text.utf8.count <= bytes.count else { return false }
    var index = start
    for byte in text.utf8 {
      guard Self.lowercased(bytes[index]) == byte else { return false }
      index += 1
    }
    return true
  }

  /// A name in lower case. No name that counts is longer; texts of any length are slow to compare.
  private func lowercased(_ range: Range<Int>) -> String {
    String(decoding: bytes[range].prefix(64).map(Self.lowercased), as: UTF8.self)
  }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
  }

  private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= lowercased(byte) }

  static func isSpace(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"), 0x0C: true
    default: false
    }
  }

  private static func isNameEnd(_ byte: UInt8) -> Bool {
    isSpace(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
  }
}

/// A start tag.
struct HTMLTag {
  struct Attribute {
    /// In lower case.
    let name: String
    /// The name, the equals sign and the value with its quotes.
    let range: Range<Int>
    /// The value without its quotes, with character references.
    let value: Range<Int>
  }

  /// In lower case.
  let name: String
  let range: Range<Int>
  let attributes: [Attribute]
  /// Whether it ends in `/>`.
  let isSelfClosing: Bool

  /// Of several attributes with one name, the first counts.
  func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }

  /// The value of an attribute as a browser's scripts see it; nil if there is none.
  func value(_ name: String, in bytes: [UInt8]) -> String? {
    attribute(name).map { HTMLText.decoded(bytes[$0.value]) }
  }

  /// The elements without content and end tag.
  static let voidElements: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
  ]
}
