/// A parser of the text form of `.strings` files: `"key" = "text";` with comments. Unlike Foundation's it writes nothing to
/// standard error, and knows `\uxxxx`.
///
/// Keys, and texts without spaces, need no quotes; a key alone stands for its text, too. The escapes are those of C, and
/// `\Uxxxx` or `\uxxxx` with a UTF-16 code unit.
struct StringsScanner: EscapedText {
  private let bytes: UnsafeBufferPointer<UInt8>
  var position = 0

  /// - Parameter text: must stay alive while the scanner is used.
  init(_ text: PaddedText) { bytes = text.bytes }

  /// The number of bytes to the end: no string that follows is longer.
  var remaining: Int { bytes.count - position }

  func error(_ reason: PayloadError.Reason = .syntax) -> PayloadError {
    PayloadError(reason: reason, offset: position)
  }

  private var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

  func byte(after count: Int) -> UInt8 { position + count < bytes.count ? bytes[position + count] : 0 }

  /// `\U` is that of Foundation, `\u` that of everybody else.
  static func beginsCodeUnit(_ letter: UInt8) -> Bool { letter | 0x20 == UInt8(ascii: "u") }

  mutating func isAtEnd() throws(PayloadError) -> Bool {
    try skipSpace()
    return position >= bytes.count
  }

  /// Skips spaces and comments.
  mutating func skipSpace() throws(PayloadError) {
    while position < bytes.count {
      switch byte {
      case 0x09...0x0D, 0x20: position += 1
      case UInt8(ascii: "/") where byte(after: 1) == UInt8(ascii: "/"):
        while position < bytes.count, byte != 0x0A, byte != 0x0D { position += 1 }
      case UInt8(ascii: "/") where byte(after: 1) == UInt8(ascii: "*"):
        position += 2
        while !(byte == UInt8(ascii: "*") && byte(after: 1) == UInt8(ascii: "/")) {
          guard position < bytes.count else { throw error() }
          position += 1
        }
        position += 2
      default: return
      }
    }
  }

  mutating func consume(_ expected: UInt8) throws(PayloadError) -> Bool {
    try skipSpace()
    guard position < bytes.count, byte == expected else { return false }
    position += 1
    return true
  }

  mutating func semicolon() throws(PayloadError) {
    guard try consume(UInt8(ascii: ";")) else { throw error() }
  }

  /// Copies the content of a key or a text.
  ///
  /// - Parameter target: must have room for the bytes that remain.
  /// - Returns: the number of bytes.
  mutating func copyString(to target: UnsafeMutablePointer<UInt8>) throws(PayloadError) -> Int {
    try skipSpace()
    var count = 0
    guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
      while Self.isUnquoted(byte) {
        target[count] = byte
        count += 1
        position += 1
      }
      guard count > 0 else { throw error() }
      return count
    }
    let quote = byte
    position += 1
    while byte != quote {
      guard position < bytes.count else { throw error() }
      if byte == UInt8(ascii: "\\") {
        position += 1
        count += try escape(to: target + count)
      } else {
        target[count] = byte
        count += 1
        position += 1
      }
    }
    position += 1
    return count
  }

  private static func isUnquoted(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"),
      UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// Reads an escape after its backslash, and writes no more bytes than it read with the backslash.
  private mutating func escape(to target: UnsafeMutablePointer<UInt8>) throws(PayloadError) -> Int {
    guard position < bytes.count else { throw error() }
    let letter = byte
    position += 1
    switch letter {
    case UInt8(ascii: "a"): target[0] = 0x07
    case UInt8(ascii: "b"): target[0] = 0x08
    case UInt8(ascii: "f"): target[0] = 0x0C
    case UInt8(ascii: "n"): target[0] = 0x0A
    case UInt8(ascii: "r"): target[0] = 0x0D
    case UInt8(ascii: "t"): target[0] = 0x09
    case UInt8(ascii: "v"): target[0] = 0x0B
    case UInt8(ascii: "U"), UInt8(ascii: "u"): return Self.write(try scalar(), to: target)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      var number = UInt32(letter - UInt8(ascii: "0"))
      var digits = 1
      while digits < 3, UInt8(ascii: "0")...UInt8(ascii: "7") ~= byte {
        number = number << 3 | UInt32(byte - UInt8(ascii: "0"))
        digits += 1
        position += 1
      }
      // One digit gives one byte, three digits two bytes at most.
      return Self.write(Unicode.Scalar(number) ?? "\u{FFFD}", to: target)
    default:
      // The bytes of a longer character follow as they are.
      target[0] = letter
    }
    return 1
  }
}

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
