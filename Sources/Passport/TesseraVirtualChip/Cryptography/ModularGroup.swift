internal import CTesseraOpenSSL
import TesseraCryptography
import TesseraSmartCard

/// A subgroup of prime order of the integers modulo a prime, for Diffie-Hellman.
struct ModularGroup: AgreementGroup {
  let prime: [UInt8]
  let order: [UInt8]
  let generator: [UInt8]
  var kind: AgreementKind { .modular }
  var fieldBits: Int { prime.count * 8 - (prime.first?.leadingZeroBitCount ?? 0) }

  /// The three groups of RFC 5114.
  enum Standard: Sendable {
    case prime1024Order160
    case prime2048Order224
    case prime2048Order256
  }

  init(_ standard: Standard) throws {
    let group =
      switch standard {
      case .prime1024Order160: DH_get_1024_160()
      case .prime2048Order224: DH_get_2048_224()
      case .prime2048Order256: DH_get_2048_256()
      }
    defer { DH_free(group) }
    prime = try BigNumber(copying: DH_get0_p(group)).bytes()
    order = try BigNumber(copying: DH_get0_q(group)).bytes()
    generator = try BigNumber(copying: DH_get0_g(group)).bytes(count: prime.count)
  }

  private func arithmetic() throws -> ModularArithmetic { try ModularArithmetic(BigNumber(prime)) }

  func check(_ publicKey: [UInt8]) throws {
    let number = try BigNumber(publicKey)
    let numbers = try arithmetic()
    guard try number > BigNumber(1), try number < numbers.modulus.subtracting(1),
      try numbers.power(number, BigNumber(order)).isOne
    else { throw CryptographyError.malformed("a number outside of the group") }
  }

  func raise(_ base: [UInt8], to exponent: [UInt8]) throws -> [UInt8] {
    try check(base)
    return try element(arithmetic().power(BigNumber(base), BigNumber(exponent)))
  }

  func combine(_ left: [UInt8], _ right: [UInt8]) throws -> [UInt8] {
    try element(arithmetic().multiply(BigNumber(left), BigNumber(right)))
  }

  private func element(_ number: BigNumber) throws -> [UInt8] {
    guard !number.isOne, !number.isZero else { throw CryptographyError.malformed("the neutral element") }
    return try number.bytes(count: prime.count)
  }

  func secret(of element: [UInt8]) -> SecretBytes { SecretBytes(element) }

  func encoded(_ element: [UInt8]) -> [UInt8] { Array(element.drop { $0 == 0 }) }

  func compressed(_ publicKey: [UInt8]) throws -> [UInt8] { try HashAlgorithm.sha1.digest(of: encoded(publicKey)) }

  /// Doc 9303-11, 4.4.3.5.1: the cofactor's power lies in the subgroup.
  func element(of pseudoRandom: [UInt8]) throws -> [UInt8] {
    let numbers = try arithmetic()
    let cofactor = try numbers.modulus.subtracting(1).divided(by: BigNumber(order))
    return try element(numbers.power(numbers.reduce(BigNumber(pseudoRandom)), cofactor))
  }

  /// `dhpublicnumber` with `AgreementParameters` (RFC 3279, 2.3.3).
  func explicitAlgorithm() throws -> [UInt8] {
    DERBytes.sequence(
      DERBytes.objectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3E, 0x02, 0x01]),
      DERBytes.sequence(DERBytes.integer(prime), DERBytes.integer(generator), DERBytes.integer(order)))
  }

  func bitString(_ publicKey: [UInt8]) -> [UInt8] { DERBytes.integer(publicKey) }
}
