/// The reason why a payload or a cache record is not used. It names the position and never quotes the text.
struct PayloadError: Error, Equatable {
  enum Reason: Equatable {
    /// The text violates its grammar.
    case syntax
    /// Arrays and objects are nested too deeply.
    case nesting
    /// Over 4 MiB, or over 200,000 keys.
    case tooLarge
    case notUTF8
    /// No text for the locale: an error, or the texts of another one.
    case noTexts
    /// A record without a key or without a value, or a text with a placeholder that its record does not declare.
    case records
    /// A difference to the stored texts that names no text.
    case noDifference
    /// Not the form in which the server has sent the texts so far.
    case otherForm
  }

  let reason: Reason
  var offset = 0
}

/// A strict scanner of JSON (RFC 8259) that copies strings to where the caller wants them, and keeps nothing else.
///
/// `JSONValue` of the bridge makes a value of each string, which takes most of the time of a large payload. This scanner
/// reads eight bytes at once and copies them in the same pass. The text is valid UTF-8 with zero bytes after it
/// (`PaddedText`), and a string ends at an ASCII quote, so each string is valid UTF-8, too.
struct JSONScanner: EscapedText {
  private let start: UnsafePointer<UInt8>
  var position = 0
  private let count: Int
  private static let maximumNesting = 64

  /// - Parameter text: must stay alive while the scanner is used.
  init(_ text: PaddedText) {
    start = UnsafePointer(text.start)
    count = text.count
  }

  /// The number of bytes to the end: no string that follows is longer.
  var remaining: Int { count - position }

  func error(_ reason: PayloadError.Reason = .syntax) -> PayloadError { PayloadError(reason: reason, offset: position) }

  // MARK: - Structure

  private var byte: UInt8 { start[position] }

  func byte(after count: Int) -> UInt8 { start[position + count] }

  static func beginsCodeUnit(_ letter: UInt8) -> Bool { letter == UInt8(ascii: "u") }

  mutating func skipSpace() {
    while byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
      || byte == UInt8(ascii: "\t")
    {
      position += 1
    }
  }

  /// The next byte that is no space; zero at the end.
  mutating func peek() -> UInt8 {
    skipSpace()
    return byte
  }

  mutating func consume(_ expected: UInt8) -> Bool {
    guard peek() == expected else { return false }
    position += 1
    return true
  }

  /// Calls `member` before each name of an object; it must read the name, the colon and the value.
  mutating func object(_ member: (inout JSONScanner) throws(PayloadError) -> Void) throws(PayloadError) {
    guard consume(UInt8(ascii: "{")) else { throw error() }
    if consume(UInt8(ascii: "}")) { return }
    repeat {
      guard peek() == UInt8(ascii: "\"") else { throw error() }
      try member(&self)
    } while consume(UInt8(ascii: ","))
    guard consume(UInt8(ascii: "}")) else { throw error() }
  }

  /// Requires that nothing follows.
  mutating func end() throws(PayloadError) {
    skipSpace()
    guard position == count else { throw error() }
  }

  mutating func colon() throws(PayloadError) {
    guard consume(UInt8(ascii: ":")) else { throw error() }
  }

  /// Checks one value of any type, and skips it.
  mutating func skipValue(depth: Int = 0) throws(PayloadError) {
    switch peek() {
    case UInt8(ascii: "\""): try skipString()
    case UInt8(ascii: "{"):
      guard depth < Self.maximumNesting else { throw error(.nesting) }
      try object { scanner throws(PayloadError) in
        try scanner.skipString()
        try scanner.colon()
        try scanner.skipValue(depth: depth + 1)
      }
    case UInt8(ascii: "["):
      guard depth < Self.maximumNesting else { throw error(.nesting) }
      position += 1
      if consume(UInt8(ascii: "]")) { return }
      repeat { try skipValue(depth: depth + 1) } while consume(UInt8(ascii: ","))
      guard consume(UInt8(ascii: "]")) else { throw error() }
    case UInt8(ascii: "t"): try skipLiteral("true")
    case UInt8(ascii: "f"): try skipLiteral("false")
    case UInt8(ascii: "n"): try skipLiteral("null")
    default: try skipNumber()
    }
  }

  private mutating func skipLiteral(_ literal: StaticString) throws(PayloadError) {
    for index in 0..<literal.utf8CodeUnitCount {
      guard byte == literal.utf8Start[index] else { throw error() }
      position += 1
    }
  }

  private mutating func skipNumber() throws(PayloadError) {
    if byte == UInt8(ascii: "-") { position += 1 }
    if byte == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
    if byte == UInt8(ascii: ".") {
      position += 1
      try skipDigits()
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      position += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
  }

  private mutating func skipDigits() throws(PayloadError) {
    guard Self.isDigit(byte) else { throw error() }
    while Self.isDigit(byte) { position += 1 }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  /// A whole number that fits into `Int`; nil for another value, which is skipped.
  mutating func integer() throws(PayloadError) -> Int? {
    skipSpace()
    let first = position
    try skipValue()
    return Int(String(decoding: UnsafeBufferPointer(start: start + first, count: position - first), as: UTF8.self))
  }

  // MARK: - Strings

  /// Checks a string, and returns the offset of its opening quote.
  @discardableResult
  mutating func skipString() throws(PayloadError) -> Int {
    skipSpace()
    let first = position
    guard byte == UInt8(ascii: "\"") else { throw error() }
    position += 1
    while true {
      position += Self.plainCount(start + position)
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return first
      case UInt8(ascii: "\\"):
        position += 1
        var scratch: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
        try withUnsafeMutableBytes(of: &scratch) { bytes throws(PayloadError) in
          guard let target = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
          _ = try escape(to: target)
        }
      default: throw error()
      }
    }
  }

  /// Reads a short string.
  mutating func text() throws(PayloadError) -> String {
    let first = try skipString()
    let end = position
    position = first
    return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: end - first + PaddedText.padding) {
      buffer throws(PayloadError) in
      guard let target = buffer.baseAddress else { throw error() }
      let copy = try copyString(to: target)
      return String(decoding: UnsafeBufferPointer(start: target, count: copy.count), as: UTF8.self)
    }
  }

  /// What a copied string contains. False positives are possible: the caller looks again.
  struct Copy {
    var count = 0
    /// Whether it may contain bytes over 0x7E or a character from an escape, which `TextCleaning` looks at.
    var isUnusual = false
    /// Whether it may contain a percent sign.
    var mayHavePercent = false
  }

  /// Copies the content of a string.
  ///
  /// - Parameter target: must have room for the bytes that remain and for eight more.
  mutating func copyString(to target: UnsafeMutablePointer<UInt8>) throws(PayloadError) -> Copy {
    guard peek() == UInt8(ascii: "\"") else { throw error() }
    position += 1
    var copy = Copy()
    var unusual: UInt64 = 0
    var percent: UInt64 = 0
    while true {
      // Copies eight bytes, of which perhaps only the first ones belong to the string; the next copy overwrites the
      // others. The target is never further than the source, so it ends within the room that was asked for.
      let word = Self.word(start + position)
      UnsafeMutableRawPointer(target + copy.count).storeBytes(of: word, as: UInt64.self)
      unusual |= word & Self.high | Self.zeros(word ^ (Self.ones &* 0x7F))
      percent |= Self.zeros(word ^ (Self.ones &* UInt64(UInt8(ascii: "%"))))
      let special = Self.special(word)
      guard special != 0 else {
        position += 8
        copy.count += 8
        continue
      }
      let plain = special.trailingZeroBitCount / 8
      position += plain
      copy.count += plain
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        copy.isUnusual = copy.isUnusual || unusual != 0
        copy.mayHavePercent = copy.mayHavePercent || percent != 0
        return copy
      case UInt8(ascii: "\\"):
        position += 1
        let isScalar = byte == UInt8(ascii: "u")
        // `\u` gives any character; the others a control character or plain ASCII.
        copy.isUnusual =
          copy.isUnusual || isScalar || byte == UInt8(ascii: "b") || byte == UInt8(ascii: "f")
          || byte == UInt8(ascii: "r")
        copy.mayHavePercent = copy.mayHavePercent || isScalar
        copy.count += try escape(to: target + copy.count)
      default: throw error()  // a control character, or the end
      }
    }
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let high: UInt64 = 0x8080_8080_8080_8080

  private static func word(_ start: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
  }

  /// The highest bit of each byte that is zero. Bytes above the lowest one that is zero may be marked, too.
  private static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & high }

  /// The lowest marked byte is the first quote, escape or control character.
  private static func special(_ word: UInt64) -> UInt64 {
    zeros(word ^ (ones &* UInt64(UInt8(ascii: "\"")))) | zeros(word ^ (ones &* UInt64(UInt8(ascii: "\\"))))
      | (word &- ones &* 0x20) & ~word & high
  }

  /// The number of bytes before the next quote, escape or control character.
  private static func plainCount(_ start: UnsafePointer<UInt8>) -> Int {
    var count = 0
    while true {
      let special = special(word(start + count))
      if special != 0 { return count + special.trailingZeroBitCount / 8 }
      count += 8
    }
  }

  /// Reads the rest of an escape, and writes at most four bytes: fewer than it read.
  private mutating func escape(to target: UnsafeMutablePointer<UInt8>) throws(PayloadError) -> Int {
    let letter = byte
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): target[0] = letter
    case UInt8(ascii: "b"): target[0] = 0x08
    case UInt8(ascii: "f"): target[0] = 0x0C
    case UInt8(ascii: "n"): target[0] = 0x0A
    case UInt8(ascii: "r"): target[0] = 0x0D
    case UInt8(ascii: "t"): target[0] = 0x09
    case UInt8(ascii: "u"):
      position += 1
      return Self.write(try scalar(), to: target)
    default: throw error()
    }
    position += 1
    return 1
  }
}
