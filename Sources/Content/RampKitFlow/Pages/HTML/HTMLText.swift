/// Text in HTML.
enum HTMLText {
  /// The text with its character references replaced: the numeric ones and those of JSON in attributes. Others stay.
  static func decoded(_ text: some Collection<UInt8>) -> String {
    let text = Array(text)
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "&"), let (character, end) = reference(text, index) {
        decoded += Array(String(character).utf8)
        index = end
      } else {
        decoded.append(text[index])
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  /// The longest reference: `&#1114111;`.
  private static let longestReference = 10

  private static func reference(_ text: [UInt8], _ start: Int) -> (Unicode.Scalar, end: Int)? {
    let limit = min(text.count, start + longestReference)
    guard let end = text[start..<limit].firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = String(decoding: text[(start + 1)..<end], as: UTF8.self)
    guard let scalar = scalar(name) else { return nil }
    return (scalar, end + 1)
  }

  private static func scalar(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    case "nbsp": return "\u{A0}"
    default:
      guard name.utf8.first == UInt8(ascii: "#") else { return nil }
      let digits = name.dropFirst()
      let isHexadecimal = digits.first == "x" || digits.first == "X"
      guard let code = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits) else { return nil }
      return code == 0 ? nil : Unicode.Scalar(code)
    }
  }
}
