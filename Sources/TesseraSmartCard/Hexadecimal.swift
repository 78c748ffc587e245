extension Collection<UInt8> {
  /// The bytes as hexadecimal text, in upper case as in the ICAO and ISO documents.
  package var hexadecimal: String {
    var text = [UInt8]()
    text.reserveCapacity(count * 2)
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 0x0F)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  /// The bytes of hexadecimal text in upper or lower case; nil for an odd number of digits or any other character.
  package init?(hexadecimal text: some StringProtocol) {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    self = []
    reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1]) else { return nil }
      append(high << 4 | low)
    }
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
