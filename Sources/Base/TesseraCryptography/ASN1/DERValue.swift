/// One value of a DER encoding: its tag, its content and its complete encoding, as slices of the bytes received.
///
/// swift-asn1 decodes all other structures. Its parser builds a tree of every value; for a list of 600 certificates that
/// takes longer than all the rest of the work. Here only the values on the way to a field are visited.
package struct DERValue: Sendable {
  /// The identifier octet. Certificates and revocation lists have no tags of several octets.
  package let tag: UInt8
  package let content: ArraySlice<UInt8>
  package let encoded: ArraySlice<UInt8>

  package enum Tag {
    package static let integer: UInt8 = 0x02
    package static let bitString: UInt8 = 0x03
    package static let octetString: UInt8 = 0x04
    package static let objectIdentifier: UInt8 = 0x06
    package static let utcTime: UInt8 = 0x17
    package static let generalizedTime: UInt8 = 0x18
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31

    /// The constructed context-specific tag `number`, below 31.
    package static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
    /// The primitive context-specific tag `number`, below 31.
    package static func implicit(_ number: UInt8) -> UInt8 { 0x80 | number }
  }

  /// Decodes the value at the start of `bytes`.
  ///
  /// - Throws: `CryptographyError.malformed` naming `what`; also for indefinite lengths.
  package init(_ bytes: ArraySlice<UInt8>, _ what: String) throws {
    guard let value = Self(startOf: bytes) else { throw CryptographyError.malformed(what) }
    self = value
  }

  private init?(startOf bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 2 else { return nil }
    let start = bytes.startIndex
    let tag = bytes[start]
    guard tag & 0x1F != 0x1F else { return nil }
    var contentStart = start + 2
    var length = Int(bytes[start + 1])
    if length >= 0x80 {
      let count = length & 0x7F
      guard (1...4).contains(count), bytes.count >= 2 + count else { return nil }
      length = 0
      for _ in 0..<count {
        length = length << 8 | Int(bytes[contentStart])
        contentStart += 1
      }
    }
    guard length <= bytes.endIndex - contentStart else { return nil }
    self.tag = tag
    content = bytes[contentStart..<contentStart + length]
    encoded = bytes[start..<contentStart + length]
  }

  /// The values of a constructed one, in order.
  package var elements: Elements { Elements(rest: content) }

  /// Reads consecutive values.
  package struct Elements: Sendable {
    private var rest: ArraySlice<UInt8>

    package init(rest: ArraySlice<UInt8>) { self.rest = rest }

    package var isEmpty: Bool { rest.isEmpty }

    /// The tag of the next value; nil at the end.
    package var nextTag: UInt8? { rest.first }

    /// - Throws: `CryptographyError.malformed` naming `what` at the end, or if the encoding is malformed.
    package mutating func next(_ what: String) throws -> DERValue {
      let value = try DERValue(rest, what)
      rest = rest[value.encoded.endIndex...]
      return value
    }

    /// The next value, which must have this tag.
    package mutating func next(_ tag: UInt8, _ what: String) throws -> DERValue {
      let value = try next(what)
      guard value.tag == tag else { throw CryptographyError.malformed(what) }
      return value
    }

    /// The next value if it has this tag; nil otherwise.
    package mutating func nextIf(_ tag: UInt8, _ what: String) throws -> DERValue? {
      nextTag == tag ? try next(what) : nil
    }
  }

  /// The bits of a BIT STRING that consists of whole octets.
  package func wholeOctets(_ what: String) throws -> ArraySlice<UInt8> {
    guard tag == Tag.bitString, content.first == 0 else { throw CryptographyError.malformed(what) }
    return content.dropFirst()
  }
}

extension DERValue {
  /// The dotted form of an OBJECT IDENTIFIER.
  package func objectIdentifier(_ what: String) throws -> String {
    guard tag == Tag.objectIdentifier, let text = Self.dotted(content) else { throw CryptographyError.malformed(what) }
    return text
  }

  /// The dotted form of the content octets of an OBJECT IDENTIFIER (ITU-T X.690, 8.19); nil if they are malformed, are
  /// more than 64, or contain a number that `Int` has not.
  static func dotted(_ content: ArraySlice<UInt8>) -> String? {
    guard let last = content.last, last < 0x80, content.count <= 64 else { return nil }
    var text = ""
    var arc: UInt64 = 0
    for byte in content {
      // No number begins with a zero.
      guard arc >> 56 == 0, arc > 0 || byte != 0x80 else { return nil }
      arc = arc << 7 | UInt64(byte & 0x7F)
      guard byte < 0x80 else { continue }
      if text.isEmpty {
        let first = min(arc / 40, 2)
        text = String(first)
        arc -= first * 40
      }
      text += "."
      text += String(arc)
      arc = 0
    }
    return text
  }
}
