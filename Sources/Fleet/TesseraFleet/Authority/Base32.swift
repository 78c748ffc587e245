/// Base32 without padding (RFC 4648, 6), between memory that the caller owns and wipes.
enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// The number of characters for `count` bytes.
  static func encodedCount(_ count: Int) -> Int { (count * 8 + 4) / 5 }

  /// The number of whole bytes in `count` characters.
  static func decodedCount(_ count: Int) -> Int { count * 5 / 8 }

  /// - Parameter text: `encodedCount` bytes.
  static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
    var bits = 0
    var value: UInt16 = 0
    var position = 0
    for byte in bytes {
      value = (value & 0x1F) << 8 | UInt16(byte)
      bits += 8
      while bits >= 5, position < text.count {
        bits -= 5
        text[position] = alphabet[Int(value >> UInt16(bits)) & 0x1F]
        position += 1
      }
    }
    guard bits > 0, position < text.count else { return }
    text[position] = alphabet[Int(value << UInt16(5 - bits)) & 0x1F]
  }

  /// - Parameter bytes: `decodedCount` bytes.
  /// - Returns: false if a character is not of the alphabet, or the bits that fill the last one are not zero.
  static func decode(_ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
    var bits = 0
    var value: UInt16 = 0
    var position = 0
    for character in text {
      guard let digit = digit(character) else { return false }
      value = (value & 0xFF) << 5 | digit
      bits += 5
      guard bits >= 8, position < bytes.count else { continue }
      bits -= 8
      bytes[position] = UInt8(truncatingIfNeeded: value >> UInt16(bits))
      position += 1
    }
    return bits < 5 && value & (1 << UInt16(bits) - 1) == 0
  }

  private static func digit(_ character: UInt8) -> UInt16? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt16(character - UInt8(ascii: "A"))
    case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt16(character - UInt8(ascii: "2")) + 26
    default: nil
    }
  }
}
