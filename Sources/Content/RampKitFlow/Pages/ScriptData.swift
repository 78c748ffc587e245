internal import TesseraJSON

/// Data in the text of a script. Everything that a page's script receives as text passes here.
enum ScriptData {
  /// The value as an expression of JavaScript that can stand in a `<script>` element: JSON, in which `<` cannot begin an
  /// end tag or a comment, and the line ends of older JavaScript are escaped.
  static func expression(_ value: JSONValue) -> String {
    var expression: [UInt8] = []
    let text = Array(value.text.utf8)
    expression.reserveCapacity(text.count)
    // All three characters can stand in strings only, so an escape means the same.
    for (index, byte) in text.enumerated() {
      switch byte {
      case UInt8(ascii: "<"): expression += Array("\\u003C".utf8)
      // U+2028 is E2 80 A8, and U+2029 is E2 80 A9.
      case 0xA8 where index > 1 && text[index - 1] == 0x80 && text[index - 2] == 0xE2:
        expression.removeLast(2)
        expression += Array("\\u2028".utf8)
      case 0xA9 where index > 1 && text[index - 1] == 0x80 && text[index - 2] == 0xE2:
        expression.removeLast(2)
        expression += Array("\\u2029".utf8)
      default: expression.append(byte)
      }
    }
    return String(decoding: expression, as: UTF8.self)
  }
}
