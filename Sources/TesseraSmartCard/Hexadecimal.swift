extension Collection<UInt8> {
  /// The bytes as hexadecimal text, in upper case as in the ICAO and ISO documents.
  package var hexadecimal: String {
    let bytes = Array(self)
    return String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
      var position = 0
      for byte in bytes {
        buffer[position] = Self.digit(byte >> 4)
        buffer[position + 1] = Self.digit(byte & 0x0F)
        position += 2
      }
      return position
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
  }
}

extension [UInt8] {
  /// The bytes of hexadecimal text in upper or lower case; nil for an odd number of digits or any other character.
  package init?(hexadecimal text: some StringProtocol) {
    self.init(hexadecimal: Array(text.utf8))
  }

  private init?(hexadecimal digits: [UInt8]) {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var isValid = true
    self.init(unsafeUninitializedCapacity: digits.count / 2) { buffer, count in
      while count < digits.count / 2 {
        let (high, low) = (Self.value(digits[2 * count]), Self.value(digits[2 * count + 1]))
        isValid = isValid && high < 16 && low < 16
        buffer.initializeElement(at: count, to: high << 4 | low)
        count += 1
      }
    }
    guard isValid else { return nil }
  }

  /// 0 to 15; 16 for another character.
  private static func value(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: 16
    }
  }
}
