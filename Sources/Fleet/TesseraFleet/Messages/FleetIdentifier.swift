internal import TesseraCryptography

/// A random name of an inspector or a session: 22 characters of base64url that carry 16 bytes. It tells nothing about the
/// machine.
package struct FleetIdentifier: Sendable, Hashable {
  package let text: String

  /// nil for a text of another form.
  package init?(_ text: String) {
    guard text.utf8.count == Self.length, text.utf8.allSatisfy(Self.isDigit) else { return nil }
    self.text = text
  }

  /// - Throws: `CryptographyError` if the generator has no seed.
  package static func random() throws -> FleetIdentifier {
    let bytes = try RandomBytes.make(16)
    var text = ""
    // 16 bytes are 128 bits: 21 digits of 6 bits and one of 2.
    var bits = UInt32(0)
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(digit(bits >> UInt32(count)))
      }
      bits &= (1 << UInt32(count)) - 1
    }
    text.append(digit(bits << UInt32(6 - count)))
    return FleetIdentifier(unchecked: text)
  }

  private init(unchecked text: String) { self.text = text }

  private static let length = 22
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static func digit(_ bits: UInt32) -> Character { Character(UnicodeScalar(digits[Int(bits & 0x3F)])) }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension FleetIdentifier: CustomStringConvertible {
  package var description: String { text }
}

extension FleetIdentifier: Codable {
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let identifier = FleetIdentifier(text) else { throw FleetError(.malformed) }
    self = identifier
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// The name of one read, which the desk chooses at random: 22 characters of base64url. A read that is repeated after a
/// loss keeps it, so that the fleet has exactly one record of it.
public struct FleetReadID: Sendable, Hashable {
  package let identifier: FleetIdentifier

  package init(_ identifier: FleetIdentifier) { self.identifier = identifier }

  /// nil for a text of another form.
  public init?(_ text: String) {
    guard let identifier = FleetIdentifier(text) else { return nil }
    self.identifier = identifier
  }

  /// - Throws: `CryptographyError` if the generator has no seed.
  public static func random() throws -> FleetReadID { FleetReadID(try .random()) }

  public var text: String { identifier.text }
}

extension FleetReadID: CustomStringConvertible {
  public var description: String { text }
}

extension FleetReadID: Codable {
  public init(from decoder: any Decoder) throws { identifier = try FleetIdentifier(from: decoder) }

  public func encode(to encoder: any Encoder) throws { try identifier.encode(to: encoder) }
}

/// The name of a desk: 1 to 32 lower-case letters, digits and hyphens, so that it is one token of a subject.
public struct DeskName: Sendable, Hashable {
  public let text: String

  /// nil for any other text.
  public init?(_ text: String) {
    guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
    self.text = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }
}

extension DeskName: CustomStringConvertible {
  public var description: String { text }
}
