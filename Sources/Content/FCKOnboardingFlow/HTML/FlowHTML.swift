/// HTML that is written piece by piece. Everything that the document or the user wrote passes `text` and `attribute`.
struct FlowHTML {
  private(set) var bytes: [UInt8] = []

  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Markup of ours.
  mutating func raw(_ markup: StaticString) { markup.withUTF8Buffer { bytes.append(contentsOf: $0) } }

  /// HTML that was written before, or a file of this package.
  mutating func own(_ content: [UInt8]) { bytes.append(contentsOf: content) }

  /// Begins a start tag, which attributes and `raw(">")` follow.
  mutating func open(_ tag: StaticString) {
    raw("<")
    raw(tag)
  }

  mutating func close(_ tag: StaticString) {
    raw("</")
    raw(tag)
    raw(">")
  }

  mutating func attribute(_ name: StaticString) {
    raw(" ")
    raw(name)
  }

  mutating func attribute(_ name: StaticString, _ value: String) {
    attribute(name)
    raw("=\"")
    escape(value)
    raw("\"")
  }

  mutating func text(_ text: String) { escape(text) }

  private mutating func escape(_ text: String) {
    for byte in text.escapedMarkup().utf8 {
      switch byte {
      // No parser keeps it.
      case 0: raw("\u{FFFD}")
      // In an attribute and in a text a parser makes a line feed of it.
      case 0x0D: raw("&#13;")
      default: bytes.append(byte)
      }
    }
  }
}
