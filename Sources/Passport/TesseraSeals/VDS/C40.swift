/// The C40 encoding of visible digital seals: digits, capital letters and the space, which stands for the filler of a
/// machine readable zone (Doc 9303-13, C40 encoding). Three characters take two bytes.
package enum C40 {
  /// The text of a field. What is missing at its end are fillers.
  ///
  /// - Parameters:
  ///   - bytes: two for three characters.
  ///   - count: the number of characters that the field has; nil for as many as the bytes have.
  /// - Returns: digits, capital letters and spaces. Trailing spaces are padding or fillers.
  /// - Throws: `C40Error` if the bytes are not C40, or are more than `count` characters.
  package static func decode(_ bytes: some Collection<UInt8>, count: Int? = nil) throws(C40Error) -> String {
    guard bytes.count.isMultiple(of: 2) else { throw .oddLength }
    var characters: [UInt8] = []
    characters.reserveCapacity(bytes.count / 2 * 3)
    var rest = Array(bytes)[...]
    while let high = rest.popFirst(), let low = rest.popFirst() {
      characters += try pair(high, low, isLast: rest.isEmpty)
    }
    if let count {
      // A character more than there is room for may be a filler.
      while characters.count > count, characters.last == space { characters.removeLast() }
      guard characters.count <= count else { throw .tooLong }
      characters += Array(repeating: space, count: count - characters.count)
    }
    return String(decoding: characters, as: UTF8.self)
  }

  /// The text without the fillers at its end.
  ///
  /// - Throws: `C40Error`, as `decode` does.
  package static func trimmed(_ bytes: some Collection<UInt8>) throws(C40Error) -> String {
    let text = try decode(bytes)
    return String(decoding: Array(text.utf8.reversed().drop { $0 == space }.reversed()), as: UTF8.self)
  }

  /// The number of bytes of so many characters.
  package static func length(of characters: Int) -> Int { (characters + 2) / 3 * 2 }

  private static let space = UInt8(ascii: " ")
  /// Begins a last pair with one character of ASCII.
  private static let unlatch: UInt8 = 0xFE

  private static func pair(_ high: UInt8, _ low: UInt8, isLast: Bool) throws(C40Error) -> [UInt8] {
    if high == unlatch {
      guard isLast else { throw .characterNotAtEnd }
      guard low > 0, isAllowed(low - 1) else { throw .invalidCharacter }
      return [low - 1 == UInt8(ascii: "<") ? space : low - 1]
    }
    let number = Int(high) << 8 | Int(low)
    guard (1...64_000).contains(number) else { throw .invalidPair }
    let values = [(number - 1) / 1600, (number - 1) / 40 % 40, (number - 1) % 40]
    var characters: [UInt8] = []
    for (index, value) in values.enumerated() {
      // The third value of the last pair is 0 if there are only two characters.
      if value == 0, index == 2, isLast { break }
      characters.append(try character(value))
    }
    return characters
  }

  /// The basic set; the other sets are not used.
  private static func character(_ value: Int) throws(C40Error) -> UInt8 {
    switch value {
    case 3: return space
    case 4...13: return UInt8(ascii: "0") + UInt8(value - 4)
    case 14...39: return UInt8(ascii: "A") + UInt8(value - 14)
    default: throw .invalidCharacter
    }
  }

  private static func isAllowed(_ ascii: UInt8) -> Bool {
    switch ascii {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), space, UInt8(ascii: "<"): true
    default: false
    }
  }

  /// The encoding of a text: of a filler as of a space.
  ///
  /// - Returns: nil for a text with other characters than digits, capital letters, spaces and fillers.
  package static func encode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    guard rest.allSatisfy(isAllowed) else { return nil }
    while !rest.isEmpty {
      let group = Array(rest.prefix(3))
      rest = rest.dropFirst(3)
      if group.count == 1, let only = group.first {
        bytes += [unlatch, (only == UInt8(ascii: "<") ? space : only) + 1]
        continue
      }
      let number = zip([1600, 40, 1], group).reduce(1) { $0 + $1.0 * value(of: $1.1) }
      bytes += [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }
    return bytes
  }

  private static func value(of ascii: UInt8) -> Int {
    switch ascii {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(ascii) - 0x30 + 4
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(ascii) - 0x41 + 14
    default: 3
    }
  }
}

/// Why bytes are not C40. No case carries content.
package enum C40Error: Error, Sendable, Equatable {
  case oddLength
  /// Two bytes are no number of three values.
  case invalidPair
  /// A value is none of the basic set.
  case invalidCharacter
  /// A single character stands elsewhere than at the end.
  case characterNotAtEnd
  /// There are more characters than the field has.
  case tooLong
}
