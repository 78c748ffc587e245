import Cryptography

/// A group in which two sides can agree on a secret, written as bytes on the outside: points of an elliptic curve as
/// `04 || X || Y`, numbers modulo a prime in the prime's length (Doc 9303-11, 9.4.2 to 9.4.5).
protocol AgreementGroup: Sendable {
  var kind: AgreementKind { get }
  var generator: [UInt8] { get }
  /// Order of the generator, big-endian.
  var order: [UInt8] { get }

  /// Refuses what is no element, and the elements that make every secret the same.
  ///
  /// - Throws: `CryptographyError.malformed`.
  func check(_ publicKey: [UInt8]) throws

  /// `base` combined with itself `exponent` times: a multiple of a point, a power of a number.
  ///
  /// - Throws: `CryptographyError.malformed` where `base` is no element or the result is the neutral one.
  func raise(_ base: [UInt8], to exponent: [UInt8]) throws -> [UInt8]

  /// The sum of two points, the product of two numbers.
  func combine(_ left: [UInt8], _ right: [UInt8]) throws -> [UInt8]

  /// An element as a data object carries it (Doc 9303-11, 9.4.5): a point as it is, a number without leading zeros.
  func encoded(_ element: [UInt8]) -> [UInt8]

  /// What of a common element goes into the key derivation: the point's X coordinate, the whole number.
  func secret(of element: [UInt8]) -> SecretBytes

  /// `Comp(PK)` of Doc 9303-11, 7.1.2.3 by way of BSI TR-03110-3, A.2.2.3: the X coordinate, or the SHA-1 of the
  /// number as a data object carries it.
  func compressed(_ publicKey: [UInt8]) throws -> [UInt8]

  /// The length of the field's prime in bits.
  var fieldBits: Int { get }

  /// The element that Integrated Mapping makes of a pseudo-random number (Doc 9303-11, 4.4.3.5 and appendix B).
  ///
  /// - Parameter pseudoRandom: big-endian, not yet reduced by the prime.
  func element(of pseudoRandom: [UInt8]) throws -> [UInt8]

  /// `AlgorithmIdentifier` with all parameters spelt out.
  func explicitAlgorithm() throws -> [UInt8]

  /// What the BIT STRING of a `SubjectPublicKeyInfo` holds.
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

  /// The number between 1 and the order less one that a longer one stands for.
  func exponent(of long: [UInt8]) throws -> [UInt8] {
    let limit = try BigNumber(order).subtracting(1)
    let reduced = try ModularArithmetic(limit).reduce(BigNumber(long))
    return try reduced.adding(BigNumber(1)).bytes(count: order.count)
  }

  func publicKey(of exponent: [UInt8]) throws -> [UInt8] { try raise(generator, to: exponent) }
}
