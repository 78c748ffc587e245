/// Base32 without padding (RFC 4648, 6).
package enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// The number of characters for `count` bytes.
  package static func encodedCount(_ count: Int) -> Int { (count * 8 + 4) / 5 }

  /// The number of whole bytes in `count` characters.
  package static func decodedCount(_ count: Int) -> Int { count / 8 * 5 + count % 8 * 5 / 8 }

  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text = [UInt8](repeating: 0, count: encodedCount(bytes.count))
    bytes.withUnsafeBytes { bytes in text.withUnsafeMutableBytes { encode(bytes, into: $0) } }
    return text
  }

  /// - Returns: nil if a character is not of the alphabet, which has no lower case; if the number of characters is not that
  ///   of whole bytes; or if the bits that fill the last character are not zero: then several texts would have the same
  ///   bytes.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    let text = Array(text)
    var bytes = [UInt8](repeating: 0, count: decodedCount(text.count))
    let isDecoded = text.withUnsafeBytes { text in bytes.withUnsafeMutableBytes { decode(text, into: $0) } }
    return isDecoded ? bytes : nil
  }

  // MARK: - Between memory that the caller owns and wipes

  /// - Parameter text: `encodedCount` bytes.
  package static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
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
  /// - Returns: false if `decode(_:)` would return nil.
  package static func decode(_ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
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
