/// What the user types into a field.
enum EntryText {
  /// So many characters of Unicode fit into a field.
  static let maximumLength = 10_000

  /// The text as a field of one line keeps it: without line ends and other control characters, and not too long.
  static func limited(_ text: String) -> String {
    let isPlain = text.utf8.count <= maximumLength && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    guard !isPlain else { return text }
    let scalars = text.unicodeScalars.lazy.filter { $0.value >= 0x20 && $0.value != 0x7F }
    return String(String.UnicodeScalarView(scalars.prefix(maximumLength)))
  }

  static func isBlank(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(\.properties.isWhitespace) }

  /// The text without spaces around it.
  static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[start...end])
  }

  /// Whether mail could be sent to the address: it has a name, one `@` and a domain of two labels or more. Letters of all
  /// scripts are accepted (RFC 6531); quoted names and addresses of networks are not.
  static func isEmailAddress(_ text: String) -> Bool {
    let parts = Array(trimmed(text).utf8).split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, 1...64 ~= parts[0].count, parts[1].count <= 255 else { return false }
    let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return isDotAtom(parts[0]) && labels.count >= 2 && labels.allSatisfy(isLabel)
  }

  /// RFC 5322, 3.2.3: dots stand between other characters.
  private static func isDotAtom(_ name: ArraySlice<UInt8>) -> Bool {
    let atoms = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return atoms.allSatisfy { atom in
      !atom.isEmpty && atom.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
    }
  }

  /// RFC 1123, 2.1
  private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
    1...63 ~= label.count && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
      && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
  }

  /// Whether the byte is a letter or a digit of ASCII, or belongs to a character beyond ASCII.
  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...0xFF:
      true
    default: false
    }
  }
}
