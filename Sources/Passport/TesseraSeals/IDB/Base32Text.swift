/// Base32 without padding (RFC 4648, 6).
enum Base32Text {
  /// The number of whole bytes in `count` characters.
  static func byteCount(_ count: Int) -> Int { count / 8 * 5 + count % 8 * 5 / 8 }

  /// - Returns: nil if a character is not of the alphabet, which has no lower case; if the number of characters is not that
  ///   of whole bytes; or if the bits that fill the last character are not zero: then several texts would have the same
  ///   bytes.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount(text.count))
    var bits = 0
    var value: UInt16 = 0
    for character in text {
      guard let digit = digit(character) else { return nil }
      value = (value & 0xFF) << 5 | digit
      bits += 5
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt16(bits)))
    }
    return bits < 5 && value & (1 << UInt16(bits) - 1) == 0 ? bytes : nil
  }

  private static func digit(_ character: UInt8) -> UInt16? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt16(character - UInt8(ascii: "A"))
    case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt16(character - UInt8(ascii: "2")) + 26
    default: nil
    }
  }
}
