extension DERValue {
  /// The dotted form of an OBJECT IDENTIFIER.
  package func objectIdentifier(_ what: String) throws -> String {
    guard tag == Tag.objectIdentifier, let text = Self.dotted(content) else { throw CryptographyError.malformed(what) }
    return text
  }

  /// The dotted form of the content octets of an OBJECT IDENTIFIER (ITU-T X.690, 8.19); nil if they are malformed, are
  /// more than 64, or contain a number that `Int` has not.
  static func dotted(_ content: ArraySlice<UInt8>) -> String? {
    guard let last = content.last, last < 0x80, content.count <= 64 else { return nil }
    var text = ""
    var arc: UInt64 = 0
    for byte in content {
      // No number begins with a zero.
      guard arc >> 56 == 0, arc > 0 || byte != 0x80 else { return nil }
      arc = arc << 7 | UInt64(byte & 0x7F)
      guard byte < 0x80 else { continue }
      if text.isEmpty {
        let first = min(arc / 40, 2)
        text = String(first)
        arc -= first * 40
      }
      text += "."
      text += String(arc)
      arc = 0
    }
    return text
  }
}
