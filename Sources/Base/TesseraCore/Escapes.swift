extension UInt16 {
  /// A unit of UTF-16 as strings of JSON and JavaScript have it: `\u` and four digits in lower case.
  package var unicodeEscape: String { "\\u" + hexadecimal.lowercased() }
}

extension StringProtocol {
  /// The text for the content of an element of HTML or of a markup like it; with `quotes` for quoted attributes, too.
  package func escapedMarkup(quotes: Bool = true) -> String {
    let escaped = replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    return quotes ? escaped.replacing("\"", with: "&quot;").replacing("'", with: "&#39;") : escaped
  }

  /// The text with `%XX` decoded (RFC 3986, 2.1); nil if it is malformed or the bytes are not UTF-8.
  package var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    func digit() -> UInt8? { rest.popFirst()?.hexadecimalValue }
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = digit(), let low = digit() else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
