internal import CTesseraOpenSSL
import SwiftASN1

/// The curves that the certificates of travel documents use, found by their explicit parameters (RFC 3279, 2.3.5).
///
/// Most country signers write out the parameters of a known curve. Parameters that equal none are refused: whoever
/// chooses them can choose the generator so that a signature of another key verifies (CVE-2020-0601).
enum KnownCurves {
  /// The OpenSSL identifier of the curve.
  ///
  /// - Throws: `UnknownCurve`; `CryptographyError.malformed` for parameters over another field than a prime one.
  static func identifier(ofExplicit parameters: ASN1Node) throws -> Int32 {
    let fields = try parameters.children("ECParameters")
    guard fields.count >= 5 else { throw CryptographyError.malformed("ECParameters") }
    let field = try fields[1].children("fieldID")
    let curve = try fields[2].children("curve")
    guard field.count == 2, try field[0].objectIdentifier("field") == "1.2.840.10045.1.1", curve.count >= 2 else {
      throw CryptographyError.malformed("ECParameters")
    }
    let prime = try field[1].unsignedInteger("prime")
    let coefficients = try curve[0...1].map { Array(try $0.octets("coefficient").drop { $0 == 0 }) }
    let generator = Point(try fields[3].octets("generator"))
    let order = try fields[4].unsignedInteger("order")
    // The cofactor follows from the other parameters, and is absent in some certificates.
    let match = all.first { known in
      known.prime == prime && known.a == coefficients[0] && known.b == coefficients[1] && known.order == order
        && generator.map { $0.matches(x: known.x, y: known.y) } ?? false
    }
    guard let match else { throw UnknownCurve(bits: prime.count * 8) }
    return match.identifier
  }

  private struct Curve: Sendable {
    let identifier: Int32
    // Big-endian, without leading zeros.
    let prime: [UInt8]
    let a: [UInt8]
    let b: [UInt8]
    let x: [UInt8]
    let y: [UInt8]
    let order: [UInt8]
  }

  /// A generator: uncompressed, compressed or in the hybrid form (SEC 1, 2.3.3).
  private struct Point {
    let x: [UInt8]
    let y: [UInt8]?
    let yIsOdd: Bool?

    init?(_ octets: [UInt8]) {
      guard let form = octets.first else { return nil }
      let coordinates = octets.dropFirst()
      func trimmed(_ octets: some Sequence<UInt8>) -> [UInt8] { Array(octets.drop { $0 == 0 }) }
      switch form {
      case 2, 3:
        (x, y, yIsOdd) = (trimmed(coordinates), nil, form == 3)
      case 4, 6, 7:
        guard coordinates.count.isMultiple(of: 2) else { return nil }
        x = trimmed(coordinates.prefix(coordinates.count / 2))
        y = trimmed(coordinates.suffix(coordinates.count / 2))
        yIsOdd = nil
      default: return nil
      }
    }

    func matches(x knownX: [UInt8], y knownY: [UInt8]) -> Bool {
      guard x == knownX else { return false }
      if let y { return y == knownY }
      return yIsOdd == (knownY.last.map { $0 & 1 == 1 } ?? false)
    }
  }

  /// In the order of their frequency in certificates.
  private static let all: [Curve] = [
    NID_brainpoolP384r1, NID_secp384r1, NID_X9_62_prime256v1, NID_brainpoolP256r1, NID_secp521r1, NID_brainpoolP512r1,
    NID_secp224r1, NID_brainpoolP224r1, NID_brainpoolP320r1, NID_X9_62_prime192v1, NID_brainpoolP192r1,
    NID_brainpoolP160r1, NID_brainpoolP160t1, NID_brainpoolP192t1, NID_brainpoolP224t1, NID_brainpoolP256t1,
    NID_brainpoolP320t1, NID_brainpoolP384t1, NID_brainpoolP512t1, NID_secp256k1,
  ].compactMap(curve)

  /// nil if this build of OpenSSL does not have the curve.
  private static func curve(_ identifier: Int32) -> Curve? {
    guard let group = EC_GROUP_new_by_curve_name(identifier) else {
      ERR_clear_error()
      return nil
    }
    defer { EC_GROUP_free(group) }
    let numbers = (0..<5).map { _ in BN_new() }
    defer { for number in numbers { BN_free(number) } }
    guard EC_GROUP_get_curve(group, numbers[0], numbers[1], numbers[2], nil) == 1,
      EC_POINT_get_affine_coordinates(group, EC_GROUP_get0_generator(group), numbers[3], numbers[4], nil) == 1
    else {
      ERR_clear_error()
      return nil
    }
    func bytes(_ number: OpaquePointer?) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(number)) + 7) / 8)
      BN_bn2bin(number, &bytes)
      return bytes
    }
    return Curve(
      identifier: identifier, prime: bytes(numbers[0]), a: bytes(numbers[1]), b: bytes(numbers[2]),
      x: bytes(numbers[3]), y: bytes(numbers[4]), order: bytes(EC_GROUP_get0_order(group)))
  }
}

/// Explicit parameters that equal no known curve.
struct UnknownCurve: Error, CustomStringConvertible {
  let bits: Int

  var description: String { "explicit parameters that equal none of the known elliptic curves (\(bits) bits)" }
}
