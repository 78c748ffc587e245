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
    let (left, right) = (r.drop { $0 == 0 }, s.drop { $0 == 0 })
    let length = max(left.count, right.count)
    func half(_ digits: ArraySlice<UInt8>) -> [UInt8] { [UInt8](repeating: 0, count: length - digits.count) + digits }
    return try? der(plain: half(left) + half(right))
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
