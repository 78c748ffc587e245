/// A scanner of a text with escapes for UTF-16 code units: `\u00fc`, or two of them for a surrogate pair.
protocol EscapedText {
  var position: Int { get set }

  /// The byte at a distance from the position; zero after the end.
  func byte(after count: Int) -> UInt8

  /// Whether the byte after a backslash begins the escape of a code unit.
  static func beginsCodeUnit(_ letter: UInt8) -> Bool

  func error(_ reason: PayloadError.Reason) -> PayloadError
}

extension EscapedText {
  /// Reads the scalar of one escape, or of two with a surrogate pair. The position is after the letter of the first one.
  mutating func scalar() throws(PayloadError) -> Unicode.Scalar {
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    // Half of a surrogate pair is no text.
    guard 0xD800..<0xDC00 ~= unit, byte(after: 0) == UInt8(ascii: "\\"), Self.beginsCodeUnit(byte(after: 1)) else {
      throw error(.syntax)
    }
    position += 2
    let low = try codeUnit()
    guard 0xDC00..<0xE000 ~= low,
      let scalar = Unicode.Scalar(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF)))
    else { throw error(.syntax) }
    return scalar
  }

  private mutating func codeUnit() throws(PayloadError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = Self.digit(byte(after: 0)) else { throw error(.syntax) }
      unit = unit << 4 | digit
      position += 1
    }
    return unit
  }

  private static func digit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// Writes the UTF-8 of a scalar, at most four bytes, and returns their number.
  static func write(_ scalar: Unicode.Scalar, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var count = 0
    for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
      target[count] = unit
      count += 1
    }
    return count
  }
}
