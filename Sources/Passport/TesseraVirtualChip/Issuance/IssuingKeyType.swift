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
