import TesseraCryptography

/// A group for Diffie-Hellman key agreement. Elements are bytes: points of an elliptic curve as `04 || X || Y`, numbers
/// modulo a prime with the length of the prime (Doc 9303-11, 9.4.2 to 9.4.5).
protocol AgreementGroup: Sendable {
  var kind: AgreementKind { get }
  var generator: [UInt8] { get }
  /// The order of the generator, big-endian.
  var order: [UInt8] { get }

  /// Checks that the key is a valid element of the group and not a neutral or degenerate one.
  ///
  /// - Throws: `CryptographyError.malformed`.
  func check(_ publicKey: [UInt8]) throws

  /// The multiple of a point, or the power of a number.
  ///
  /// - Throws: `CryptographyError.malformed` if `base` is not an element or the result is the neutral element.
  func raise(_ base: [UInt8], to exponent: [UInt8]) throws -> [UInt8]

  /// The sum of two points, the product of two numbers.
  func combine(_ left: [UInt8], _ right: [UInt8]) throws -> [UInt8]

  /// An element in the encoding of a data object (Doc 9303-11, 9.4.5): a point unchanged, a number without leading
  /// zeros.
  func encoded(_ element: [UInt8]) -> [UInt8]

  /// The input of the key derivation: the X coordinate of a point, or the whole number.
  func secret(of element: [UInt8]) -> SecretBytes

  /// `Comp(PK)` (Doc 9303-11, 7.1.2.3; BSI TR-03110-3, A.2.2.3): the X coordinate, or the SHA-1 of the number in the
  /// encoding of a data object.
  func compressed(_ publicKey: [UInt8]) throws -> [UInt8]

  /// The length of the field's prime in bits.
  var fieldBits: Int { get }

  /// The element that Integrated Mapping derives from a pseudo-random number (Doc 9303-11, 4.4.3.5 and appendix B).
  ///
  /// - Parameter pseudoRandom: Big-endian, not reduced modulo the prime.
  func element(of pseudoRandom: [UInt8]) throws -> [UInt8]

  /// `AlgorithmIdentifier` with explicit parameters.
  func explicitAlgorithm() throws -> [UInt8]

  /// The content of the BIT STRING of a `SubjectPublicKeyInfo`.
  func bitString(_ publicKey: [UInt8]) -> [UInt8]
}

enum AgreementKind: Sendable, Equatable {
  case modular
  case ellipticCurve

  /// The tag of a public key in a data object 7F49 (BSI TR-03110-3, D.3).
  var publicKeyTag: UInt32 { self == .modular ? 0x84 : 0x86 }
}

extension AgreementGroup {
  /// A number between 1 and the order less one.
  func randomExponent() throws -> [UInt8] { try exponent(of: RandomBytes.make(order.count + 8)) }

  /// Reduces a longer number to one between 1 and the order less one.
  func exponent(of long: [UInt8]) throws -> [UInt8] {
    let limit = try BigNumber(order).subtracting(1)
    let reduced = try ModularArithmetic(limit).reduce(BigNumber(long))
    return try reduced.adding(BigNumber(1)).bytes(count: order.count)
  }

  func publicKey(of exponent: [UInt8]) throws -> [UInt8] { try raise(generator, to: exponent) }
}
