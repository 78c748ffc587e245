internal import CTesseraOpenSSL

/// The numbers modulo a prime `p`, with a generator `g`, in a subgroup of prime order `q` if the order is known.
///
/// `@unchecked Sendable`: after the initialiser, OpenSSL's numbers are only read.
package final class ModularGroup: KeyAgreementGroup, @unchecked Sendable {
  /// The groups of RFC 5114, 2.1 to 2.3, which are the standardised domain parameters 0 to 2 of Doc 9303-11.
  package enum Name: String, Sendable, CaseIterable {
    /// 1024-bit prime, 160-bit subgroup.
    case rfc5114Group1 = "MODP-1024-160"
    /// 2048-bit prime, 224-bit subgroup.
    case rfc5114Group2 = "MODP-2048-224"
    /// 2048-bit prime, 256-bit subgroup.
    case rfc5114Group3 = "MODP-2048-256"
  }

  /// A primality test of a longer number takes seconds, and no document uses one.
  private static let maximumPrimeBits = 3072

  package let name: String?
  package let generator: [UInt8]
  private let prime: BigNumber
  private let order: BigNumber?
  private let length: Int

  package init(_ name: Name) throws {
    let parameters =
      switch name {
      case .rfc5114Group1: DH_get_1024_160()
      case .rfc5114Group2: DH_get_2048_224()
      case .rfc5114Group3: DH_get_2048_256()
      }
    guard let parameters else { throw CryptographyError.last("groups of RFC 5114") }
    defer { DH_free(parameters) }
    prime = try BigNumber(copying: DH_get0_p(parameters))
    order = try BigNumber(copying: DH_get0_q(parameters))
    length = prime.byteCount
    generator = try BigNumber(copying: DH_get0_g(parameters)).bytes(count: length)
    self.name = name.rawValue
  }

  /// Explicit parameters; those of a known group give the named group.
  ///
  /// - Parameters:
  ///   - prime, generator, order: big-endian. Without an order, membership in the subgroup cannot be checked.
  /// - Throws: `CryptographyError.malformed` unless the prime is prime and has at least 1024 bits, and the generator is
  ///   between 1 and `prime - 1` and has the given order; `.unsupported` for a prime of more than 3072 bits.
  package convenience init(prime: [UInt8], generator: [UInt8], order: [UInt8]? = nil) throws {
    let p = try BigNumber(prime)
    let g = try BigNumber(generator)
    for name in Name.allCases {
      let known = try ModularGroup(name)
      if known.prime == p, try BigNumber(known.generator) == g {
        try self.init(name)
        return
      }
    }
    guard p.bitCount <= Self.maximumPrimeBits else {
      throw CryptographyError.unsupported(
        "a Diffie-Hellman group with a prime of more than \(Self.maximumPrimeBits) bits")
    }
    guard p.bitCount >= 1024, p.isOdd, BN_check_prime(p.pointer, nil, nil) == 1 else {
      ERR_clear_error()
      throw CryptographyError.malformed("prime of a Diffie-Hellman group")
    }
    try self.init(checkedPrime: p, generator: g, order: try order.map { try BigNumber($0) })
  }

  private init(checkedPrime prime: BigNumber, generator: BigNumber, order: BigNumber?) throws {
    name = nil
    self.prime = prime
    self.order = order
    length = prime.byteCount
    guard generator < prime,
      order.map({ $0.bitCount >= 160 && $0 < prime && BN_check_prime($0.pointer, nil, nil) == 1 }) ?? true
    else {
      throw CryptographyError.malformed("generator or order of a Diffie-Hellman group")
    }
    self.generator = try generator.bytes(count: length)
    do {
      _ = try decode(self.generator)
    } catch is GroupElementProblem {
      throw CryptographyError.malformed("generator of a Diffie-Hellman group")
    }
  }

  package var primeBits: Int { prime.bitCount }

  /// Whether membership in the subgroup can be checked.
  package var hasKnownOrder: Bool { order != nil }

  package var strength: Int {
    let byPrime = primeBits < 2048 ? 80 : primeBits < 3072 ? 112 : 128
    return min(byPrime, (order?.bitCount ?? primeBits) / 2)
  }

  /// Ignores the order, which may be given on one side only.
  package func isSame(as other: any KeyAgreementGroup) -> Bool {
    guard let other = other as? ModularGroup else { return false }
    return prime == other.prime && generator == other.generator
  }

  // MARK: - Elements

  package func validate(_ element: [UInt8]) throws { _ = try decode(element) }

  package func makePrivateKey() throws -> SecretBytes { try BigNumber.random(below: order ?? prime) }

  package func multiply(_ element: [UInt8], by scalar: SecretBytes) throws -> [UInt8] {
    try power(element, scalar).bytes(count: length)
  }

  package func combine(_ left: [UInt8], _ right: [UInt8]) throws -> [UInt8] {
    let product = try PrimeField(prime).product(decode(left), decode(right))
    guard !product.isOne else { throw GroupElementProblem.identity }
    return try product.bytes(count: length)
  }

  package func sharedSecret(privateKey: SecretBytes, with element: [UInt8]) throws -> SecretBytes {
    try power(element, privateKey).secretBytes(count: length)
  }

  /// `number` to the power of `(p - 1)/q`, an element of the subgroup (Doc 9303-11, appendix B.1).
  package func element(ofFieldValue number: [UInt8]) throws -> [UInt8] {
    guard let order else {
      throw CryptographyError.unsupported("the integrated mapping with a Diffie-Hellman group of unknown order")
    }
    let exponent = try BigNumber()
    let field = try PrimeField(prime)
    guard BN_sub(exponent.pointer, prime.pointer, BN_value_one()) == 1,
      BN_div(exponent.pointer, nil, exponent.pointer, order.pointer, field.context.pointer) == 1
    else { throw CryptographyError.last("BN_div") }
    let element = try field.power(field.remainder(BigNumber(number)), exponent)
    guard !element.isZero, !element.isOne else { throw GroupElementProblem.identity }
    return try element.bytes(count: length)
  }

  package func compressed(_ element: [UInt8]) throws -> [UInt8] {
    try validate(element)
    return try HashAlgorithm.sha1.digest(of: unsigned(element))
  }

  package func unsigned(_ element: [UInt8]) -> [UInt8] { Array(element.drop { $0 == 0 }) }

  package func normalized(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let digits = Array(bytes.drop { $0 == 0 })
    return [UInt8](repeating: 0, count: max(0, length - digits.count)) + digits
  }

  /// A number greater than 1 and less than `p - 1`, in the subgroup if its order is known.
  private func decode(_ bytes: [UInt8]) throws -> BigNumber {
    guard bytes.count == length else { throw GroupElementProblem.malformed }
    let number = try BigNumber(bytes)
    guard !number.isOne else { throw GroupElementProblem.identity }
    let limit = try BigNumber()
    guard BN_sub(limit.pointer, prime.pointer, BN_value_one()) == 1 else { throw CryptographyError.last("BN_sub") }
    guard !number.isZero, number < limit else { throw GroupElementProblem.notInGroup }
    if let order, try !PrimeField(prime).power(number, order).isOne { throw GroupElementProblem.notInGroup }
    return number
  }

  private func power(_ element: [UInt8], _ exponent: SecretBytes) throws -> BigNumber {
    let base = element == generator ? try BigNumber(element) : try decode(element)
    let result = try PrimeField(prime).power(base, BigNumber(exponent))
    guard !result.isOne, !result.isZero else { throw GroupElementProblem.identity }
    return result
  }
}
