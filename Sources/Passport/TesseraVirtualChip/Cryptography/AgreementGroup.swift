internal import CTesseraOpenSSL
import TesseraCryptography
import TesseraSmartCard

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

/// The group of a key agreement, and its encoding in the card's files.
package struct AgreementParameters: Sendable, Equatable {
  /// The number of the standardised parameters (Doc 9303-11, 9.5.1): 0 to 2, 8 to 18.
  package let identifier: Int
  package var encoding: Encoding

  package enum Encoding: Sendable, Equatable {
    /// As a number under the object identifier `standardizedDomainParameters` of BSI TR-03110-3, A.2.1.1.
    case standardised
    /// As prime, coefficients, generator and order, which most documents use in DG14.
    case explicit
  }

  package init(_ identifier: Int, _ encoding: Encoding = .standardised) {
    self.identifier = identifier
    self.encoding = encoding
  }

  /// All assigned numbers.
  package static let standardised: [Int] = Array(0...2) + Array(8...18)

  /// - Throws: `CryptographyError.unsupported` for any other number.
  func group() throws -> any AgreementGroup {
    switch identifier {
    case 0: return try ModularGroup(.prime1024Order160)
    case 1: return try ModularGroup(.prime2048Order224)
    case 2: return try ModularGroup(.prime2048Order256)
    default: return try curve()
    }
  }

  /// - Throws: `CryptographyError.unsupported` if the number is not that of a curve.
  func curve() throws -> EllipticCurve {
    let names: [Int: Int32] = [
      8: NID_X9_62_prime192v1, 9: NID_brainpoolP192r1, 10: NID_secp224r1, 11: NID_brainpoolP224r1,
      12: NID_X9_62_prime256v1, 13: NID_brainpoolP256r1, 14: NID_brainpoolP320r1, 15: NID_secp384r1,
      16: NID_brainpoolP384r1, 17: NID_brainpoolP512r1, 18: NID_secp521r1,
    ]
    guard let name = names[identifier] else {
      throw CryptographyError.unsupported("domain parameters \(identifier)")
    }
    return try EllipticCurve(name)
  }

  var kind: AgreementKind { identifier < 8 ? .modular : .ellipticCurve }

  /// `AlgorithmIdentifier`.
  func algorithm() throws -> [UInt8] {
    switch encoding {
    case .explicit: try group().explicitAlgorithm()
    case .standardised:
      DERBytes.sequence(
        DERBytes.objectIdentifier([0x04, 0x00, 0x7F, 0x00, 0x07, 0x01, 0x02]), DERBytes.integer(identifier))
    }
  }

  /// `SubjectPublicKeyInfo`.
  func publicKeyInfo(_ publicKey: [UInt8]) throws -> [UInt8] {
    DERBytes.sequence(try algorithm(), DERBytes.bitString(try group().bitString(publicKey)))
  }
}
