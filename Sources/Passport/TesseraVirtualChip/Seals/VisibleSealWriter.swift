import TesseraCryptography

/// A visible digital seal (VDS; Doc 9303-13) to be signed.
struct VisibleSealWriter {
  /// The raw values are those of the version byte.
  enum Version: UInt8 {
    case three = 2
    case four = 3
  }

  var version: Version
  /// Three letters.
  var country: String
  /// The attribute `C` of the signer's name, and its `CN`: two letters each.
  var signer: String
  /// Of the signer's certificate.
  var serialNumber: UInt64
  var issued: SealIssuer.Day
  var signed: SealIssuer.Day
  var definition: UInt8
  var category: UInt8
  var elements: [(tag: UInt8, value: [UInt8])]

  /// All bytes up to the signature.
  func signedBytes() throws -> [UInt8] {
    var bytes: [UInt8] = [0xDC, version.rawValue]
    bytes += try C40Writer.bytes(of: country)
    bytes += try reference()
    bytes += issued.bytes + signed.bytes + [definition, category]
    for element in elements { bytes += [element.tag] + length(element.value.count) + element.value }
    return bytes
  }

  /// The signature with its tag and length.
  func trailer(_ signature: [UInt8]) -> [UInt8] { [0xFF] + length(signature.count) + signature }

  private func reference() throws -> [UInt8] {
    let number = String(serialNumber, radix: 16, uppercase: true)
    switch version {
    case .three:
      // Right-justified in five characters.
      guard number.count <= 5 else { throw CryptographyError.unsupported("a serial number of more than 20 bits") }
      return try C40Writer.bytes(of: signer + String(repeating: "0", count: 5 - number.count) + number)
    case .four:
      // Two hexadecimal digits with the number of characters.
      let count = String(number.count, radix: 16, uppercase: true)
      return try C40Writer.bytes(of: signer + (count.count == 1 ? "0" : "") + count) + C40Writer.bytes(of: number)
    }
  }

  /// Version 3: one byte. Version 4: as in DER.
  private func length(_ count: Int) -> [UInt8] {
    version == .three ? [UInt8(truncatingIfNeeded: count)] : DERBytes.length(count)
  }
}

/// The C40 encoding of seals (Doc 9303-13): three characters in two bytes, a filler as a space.
enum C40Writer {
  /// - Throws: `CryptographyError.malformed` for a character that is no digit, capital letter, space or filler.
  static func bytes(of text: String) throws -> [UInt8] {
    let characters = text.utf8.map { $0 == UInt8(ascii: "<") ? UInt8(ascii: " ") : $0 }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: characters.count, by: 3) {
      let group = characters[start..<min(start + 3, characters.count)]
      // A character that stands alone at the end is one of ASCII.
      if group.count == 1, let only = group.first {
        _ = try value(of: only)
        bytes += [0xFE, only + 1]
        continue
      }
      let values = try group.map(value)
      let number = 1600 * values[0] + 40 * values[1] + (values.count == 3 ? values[2] : 0) + 1
      bytes += [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }
    return bytes
  }

  private static func value(of character: UInt8) throws -> Int {
    switch character {
    case UInt8(ascii: " "): 3
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character) - 0x30 + 4
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character) - 0x41 + 14
    default: throw CryptographyError.malformed("a character of C40")
    }
  }
}
