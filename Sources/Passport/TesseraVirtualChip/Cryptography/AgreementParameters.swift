internal import CTesseraOpenSSL
import TesseraCryptography
import TesseraSmartCard

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
