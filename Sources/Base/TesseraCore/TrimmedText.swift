extension StringProtocol {
  /// The text without white space and newlines at its ends.
  package var trimmed: String { trimmed(\.properties.isWhitespace) }

  /// The text without the code points at its ends for which `isTrimmed` returns true.
  package func trimmed(_ isTrimmed: (Unicode.Scalar) -> Bool) -> String {
    var scalars = Substring(self).unicodeScalars.drop(while: isTrimmed)
    while let last = scalars.last, isTrimmed(last) { scalars.removeLast() }
    return String(scalars)
  }

  /// The text with `%XX` decoded (RFC 3986, 2.1); nil if it is malformed or the bytes are not UTF-8.
  package var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Unicode.Scalar(byte).properties.isASCIIHexDigit
      ? Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init) : nil
  }
}
