extension Collection<UInt8> {
  /// The bytes as hexadecimal text, in upper case as in the ICAO and ISO documents.
  package var hexadecimal: String {
    // Of an unknown collection, each octet would be a call.
    let (own, hex) = (Array(self), Array("0123456789ABCDEF".utf8))
    return String(decoding: (0..<2 * own.count).map { hex[Int(own[$0 / 2]) >> (4 - $0 % 2 * 4) & 15] }, as: UTF8.self)
  }
}

extension UnsignedInteger where Self: FixedWidthInteger {
  /// The number in hexadecimal, with as many digits as its type can have, in upper case.
  package var hexadecimal: String { withUnsafeBytes(of: bigEndian) { $0.hexadecimal } }
}

extension [UInt8] {
  /// The bytes of hexadecimal text in upper or lower case; nil for an odd number of digits or any other character.
  package init?(hexadecimal text: some StringProtocol) {
    // Of a text of an unknown type, every octet would be a call.
    let digits = Array(String(text).utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index].hexadecimalValue, let low = digits[index + 1].hexadecimalValue else { return nil }
      bytes.append(high << 4 | low)
    }
    self = bytes
  }
}

extension UInt8 {
  /// 0 to 15 for the ASCII code of a hexadecimal digit in upper or lower case.
  package var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
