import SwiftASN1

/// The two encodings of an ECDSA signature.
package enum ECDSASignature {
  /// Converts `r || s` of equal length (BSI TR-03111, 5.2.1) to `Ecdsa-Sig-Value` (RFC 3279, 2.2.3).
  package static func der(plain: [UInt8]) throws -> [UInt8] {
    guard !plain.isEmpty, plain.count.isMultiple(of: 2), plain.count <= 1024 else {
      throw CryptographyError.malformed("plain ECDSA signature")
    }
    if plain.count <= 96 { return shortDER(plain) }
    var serializer = DER.Serializer()
    serializer.appendConstructedNode(identifier: .sequence) { sequence in
      for half in [plain.prefix(plain.count / 2), plain.suffix(plain.count / 2)] {
        sequence.appendPrimitiveNode(identifier: .integer) { bytes in
          let digits = half.drop { $0 == 0 }
          if digits.first.map({ $0 >= 0x80 }) ?? true { bytes.append(0) }
          bytes += digits
        }
      }
    }
    return serializer.serializedBytes
  }

  /// The same for curves of at most 384 bits, if every length fits one byte: each signature takes this path, and the
  /// general serializer costs as much as a digest.
  private static func shortDER(_ plain: [UInt8]) -> [UInt8] {
    var der: [UInt8] = [0x30, 0]
    der.reserveCapacity(plain.count + 8)
    for half in [plain.prefix(plain.count / 2), plain.suffix(plain.count / 2)] {
      let digits = half.drop { $0 == 0 }
      let padding = digits.first.map { $0 >= 0x80 } ?? true ? 1 : 0
      der.append(0x02)
      der.append(UInt8(digits.count + padding))
      if padding == 1 { der.append(0) }
      der += digits
    }
    der[1] = UInt8(der.count - 2)
    return der
  }

  /// The distinguished encoding of an `Ecdsa-Sig-Value` (RFC 3279, 2.2.3) in BER. Some signers write the numbers with a
  /// fixed length: without the zero before a highest bit, which makes them negative, or with more zeros than needed.
  /// OpenSSL, as most, then refuses a signature whose numbers are right.
  ///
  /// - Returns: nil if these are not two numbers and nothing else.
  static func distinguished(_ signature: [UInt8]) -> [UInt8]? {
    guard let value = try? DERValue(signature[...], "ECDSA signature"), value.tag == DERValue.Tag.sequence,
      value.encoded.count == signature.count
    else { return nil }
    var elements = value.elements
    guard let r = try? elements.next(DERValue.Tag.integer, "ECDSA signature").content,
      let s = try? elements.next(DERValue.Tag.integer, "ECDSA signature").content, elements.isEmpty
    else { return nil }
    return der(r.drop { $0 == 0 }, s.drop { $0 == 0 })
  }

  /// What a signature may mean, whatever the name of its algorithm says: an `Ecdsa-Sig-Value`, or `r || s`. Some signers
  /// omit leading zeros of the numbers of the second, or write them with a sign, so that nothing says where `s` begins.
  ///
  /// - Parameter length: of the order of the group, in bytes.
  /// - Returns: distinguished encodings of `Ecdsa-Sig-Value`, seven as a rule at most.
  static func readings(of signature: [UInt8], length: Int) -> [[UInt8]] {
    let count = signature.count
    // Halves of any length: some signers write whole words.
    var ends: Set<Int> = count.isMultiple(of: 2) && (2...1024).contains(count) ? [count / 2] : []
    let (shortest, longest) = (max(1, length - absentZeros), length + addedZeros)
    let (first, last) = (max(shortest, count - longest), min(longest, count - shortest))
    if first <= last { ends.formUnion(first...last) }
    let plain = ends.sorted().compactMap { end -> [UInt8]? in
      let (r, s) = (signature[..<end].drop { $0 == 0 }, signature[end...].drop { $0 == 0 })
      return r.count > length || s.count > length ? nil : der(r, s)
    }
    return [distinguished(signature)].compactMap { $0 } + plain
  }

  /// The leading zeros of a number that are looked for. On P-256, one number of 2^40 has more.
  private static let absentZeros = 4
  private static let addedZeros = 2

  /// - Parameters:
  ///   - r, s: without leading zeros.
  private static func der(_ r: ArraySlice<UInt8>, _ s: ArraySlice<UInt8>) -> [UInt8]? {
    let length = max(r.count, s.count)
    func half(_ digits: ArraySlice<UInt8>) -> [UInt8] { [UInt8](repeating: 0, count: length - digits.count) + digits }
    return try? der(plain: half(r) + half(s))
  }

  /// The opposite way.
  ///
  /// - Parameter halfLength: length of the curve's order in bytes.
  package static func plain(der: [UInt8], halfLength: Int) throws -> [UInt8] {
    let numbers = try ASN1Node.parse(der, "ECDSA signature").children("ECDSA signature")
    guard numbers.count == 2 else { throw CryptographyError.malformed("ECDSA signature") }
    return try numbers.flatMap { number in
      let digits = try number.unsignedInteger("ECDSA signature")
      guard digits.count <= halfLength else { throw CryptographyError.malformed("ECDSA signature") }
      return [UInt8](repeating: 0, count: halfLength - digits.count) + digits
    }
  }
}

/// An ECDSA signature on P-256: the numbers r and s, each between 1 and the group order less one.
public struct P256Signature: Sendable, Equatable {
  /// `r || s`, 32 bytes each, big-endian (BSI TR-03111, 5.2.1; RFC 7518, 3.4).
  public let raw: [UInt8]

  /// The order of the group (SEC 2, 2.4.2).
  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
  ]

  /// - Throws: `CryptographyError.malformed` for another length, or if r or s is out of range.
  public init(raw: some Collection<UInt8>) throws {
    self.raw = Array(raw)
    guard self.raw.count == 64 else { throw CryptographyError.malformed("raw signature of \(self.raw.count) bytes") }
    for (name, number) in [("r", self.raw.prefix(32)), ("s", self.raw.suffix(32))] {
      guard number.contains(where: { $0 != 0 }), number.lexicographicallyPrecedes(Self.order) else {
        throw CryptographyError.malformed("\(name) of the signature is out of range")
      }
    }
  }

  /// Reads `Ecdsa-Sig-Value` (RFC 3279, 2.2.3), strictly in DER.
  public init(der: some Collection<UInt8>) throws {
    let numbers: [ArraySlice<UInt8>]
    do {
      numbers = try DER.sequence(try DER.parse(Array(der)), identifier: .sequence) { nodes in
        [try ArraySlice<UInt8>(derEncoded: &nodes), try ArraySlice<UInt8>(derEncoded: &nodes)]
      }
    } catch {
      throw CryptographyError.malformed("the signature is not an ECDSA signature in DER")
    }
    let raw = numbers.flatMap { number in
      let digits = number.drop { $0 == 0 }
      return [UInt8](repeating: 0, count: max(0, 32 - digits.count)) + digits
    }
    try self.init(raw: raw)
  }

  /// Reads a signature that OpenSSL has just made. Faster than the parser for untrusted input; every length of a P-256
  /// signature fits one byte.
  init(ofOpenSSL der: UnsafeRawBufferPointer) throws {
    guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else {
      throw CryptographyError.malformed("signature")
    }
    raw = try [UInt8](unsafeUninitializedCapacity: 64) { raw, count in
      raw.initialize(repeating: 0)
      count = 64
      var rest = der[2...]
      for end in stride(from: 32, through: 64, by: 32) {
        guard rest.popFirst() == 0x02, let length = rest.popFirst().map(Int.init), length <= rest.count else {
          throw CryptographyError.malformed("signature")
        }
        let digits = rest.prefix(length).drop { $0 == 0 }
        guard digits.count <= 32 else { throw CryptographyError.malformed("signature") }
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(raw)[(end - digits.count)..<end])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: digits))
        rest = rest.dropFirst(length)
      }
    }
  }

  /// `Ecdsa-Sig-Value`.
  public var der: [UInt8] {
    get throws { try ECDSASignature.der(plain: raw) }
  }
}
