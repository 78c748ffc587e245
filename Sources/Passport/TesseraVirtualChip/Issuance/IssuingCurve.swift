internal import CTesseraOpenSSL
import TesseraCryptography

/// OpenSSL's group object of a curve for signatures.
final class IssuingCurve {
  let group: OpaquePointer

  init(_ curve: IssuingKeyType.Curve, _ encoding: IssuingKeyType.Encoding) throws {
    switch curve {
    case .rescaledP256: group = try Self.rescaledP256()
    default:
      guard let group = EC_GROUP_new_by_curve_name(OBJ_txt2nid(curve.rawValue)) else {
        throw CryptographyError.openSSL("the curve \(curve.rawValue)")
      }
      EC_GROUP_set_asn1_flag(group, encoding == .named ? OPENSSL_EC_NAMED_CURVE : OPENSSL_EC_EXPLICIT_CURVE)
      self.group = group
    }
  }

  deinit { EC_GROUP_free(group) }

  /// Applies `x' = u²x`, `y' = u³y` with `u = 2` to P-256. This maps the curve to the one with `a' = u⁴a` and
  /// `b' = u⁶b`, which has the same number of points.
  private static func rescaledP256() throws -> OpaquePointer {
    guard let original = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
      throw CryptographyError.openSSL("the curve P-256")
    }
    defer { EC_GROUP_free(original) }
    let (prime, a, b, x, y) = (
      try BigNumber(), try BigNumber(), try BigNumber(), try BigNumber(), try BigNumber()
    )
    guard EC_GROUP_get_curve(original, prime.pointer, a.pointer, b.pointer, nil) == 1,
      EC_POINT_get_affine_coordinates(original, EC_GROUP_get0_generator(original), x.pointer, y.pointer, nil) == 1
    else { throw CryptographyError.openSSL("EC_GROUP_get_curve") }
    let field = try ModularArithmetic(prime)
    func scaled(_ number: BigNumber, _ factor: UInt) throws -> BigNumber {
      try field.multiply(number, BigNumber(factor))
    }
    let (newA, newB, newX, newY) = (try scaled(a, 16), try scaled(b, 64), try scaled(x, 4), try scaled(y, 8))
    guard let group = EC_GROUP_new_curve_GFp(prime.pointer, newA.pointer, newB.pointer, nil) else {
      throw CryptographyError.openSSL("EC_GROUP_new_curve_GFp")
    }
    guard let generator = EC_POINT_new(group) else {
      EC_GROUP_free(group)
      throw CryptographyError.openSSL("EC_POINT_new")
    }
    defer { EC_POINT_free(generator) }
    guard EC_POINT_set_affine_coordinates(group, generator, newX.pointer, newY.pointer, nil) == 1,
      EC_GROUP_set_generator(
        group, generator, EC_GROUP_get0_order(original), EC_GROUP_get0_cofactor(original)) == 1
    else {
      EC_GROUP_free(group)
      throw CryptographyError.openSSL("EC_GROUP_set_generator")
    }
    EC_GROUP_set_asn1_flag(group, OPENSSL_EC_EXPLICIT_CURVE)
    return group
  }
}

/// The kind of key with which a test authority signs.
package enum IssuingKeyType: Sendable, Equatable {
  /// 2048 bits.
  case rsa
  case ellipticCurve(Curve, Encoding = .named)

  package enum Curve: String, Sendable, Equatable, CaseIterable {
    // The raw values are OpenSSL's names.
    case p256 = "prime256v1"
    case p384 = "secp384r1"
    case p521 = "secp521r1"
    case brainpoolP256r1
    case brainpoolP384r1
    case brainpoolP512r1
    /// P-256 with the coordinates `(4x, 8y)`. The group is the same, and its parameters equal no standardised curve.
    case rescaledP256
  }

  /// How a `SubjectPublicKeyInfo` states the curve.
  package enum Encoding: Sendable, Equatable {
    /// The object identifier of the curve.
    case named
    /// Prime, coefficients, generator, order and cofactor, as Doc 9303-12, 7.1.1 asks. `rescaledP256` has no other
    /// encoding.
    case explicit
  }

  package static let p256 = IssuingKeyType.ellipticCurve(.p256)
}
