internal import CTesseraOpenSSL

/// An elliptic curve over a prime field with its generator.
///
/// `@unchecked Sendable`: after the initialiser, OpenSSL only reads the group, through `const` parameters.
package final class EllipticCurve: KeyAgreementGroup, @unchecked Sendable {
  /// The curves of Doc 9303-11, 9.5.1, and of the certificates of travel documents.
  package enum Name: String, Sendable, CaseIterable {
    case secp192r1, brainpoolP192r1, secp224r1, brainpoolP224r1, secp256r1, brainpoolP256r1, brainpoolP320r1
    case secp384r1, brainpoolP384r1, brainpoolP512r1, secp521r1

    var identifier: Int32 {
      switch self {
      case .secp192r1: NID_X9_62_prime192v1
      case .brainpoolP192r1: NID_brainpoolP192r1
      case .secp224r1: NID_secp224r1
      case .brainpoolP224r1: NID_brainpoolP224r1
      case .secp256r1: NID_X9_62_prime256v1
      case .brainpoolP256r1: NID_brainpoolP256r1
      case .brainpoolP320r1: NID_brainpoolP320r1
      case .secp384r1: NID_secp384r1
      case .brainpoolP384r1: NID_brainpoolP384r1
      case .brainpoolP512r1: NID_brainpoolP512r1
      case .secp521r1: NID_secp521r1
      }
    }
  }

  package let name: String?
  package let generator: [UInt8]
  package let primeBits: Int
  private let group: OpaquePointer
  private let order: BigNumber
  /// Whether the generator's group contains every point of the curve.
  private let hasCofactorOne: Bool
  private let coordinateLength: Int

  /// - Throws: `CryptographyError.openSSL` if this build of OpenSSL does not support the curve.
  package convenience init(_ name: Name) throws {
    guard let group = EC_GROUP_new_by_curve_name(name.identifier) else {
      throw CryptographyError.last("EC_GROUP_new_by_curve_name")
    }
    try self.init(owning: group, name: name.rawValue)
  }

  /// - Parameter ecParameters: DER `EcpkParameters` (RFC 3279, 2.3.5): the name of a curve, or explicit parameters.
  ///   Explicit parameters of a known curve give the named curve; others are validated.
  /// - Throws: `CryptographyError`.
  package convenience init(ecParameters: [UInt8]) throws {
    var cursor: UnsafePointer<UInt8>?
    let decoded = ecParameters.withUnsafeBufferPointer { buffer in
      cursor = buffer.baseAddress
      let group = d2i_ECPKParameters(nil, &cursor, buffer.count)
      // No bytes may follow.
      guard let group, cursor == buffer.baseAddress.map({ $0 + buffer.count }) else {
        EC_GROUP_free(group)
        return nil as OpaquePointer?
      }
      return group
    }
    guard let decoded else {
      ERR_clear_error()
      throw CryptographyError.malformed("parameters of an elliptic curve")
    }
    let identifier = EC_GROUP_check_named_curve(decoded, 0, nil)
    ERR_clear_error()
    if let name = Name.allCases.first(where: { $0.identifier == identifier }) {
      EC_GROUP_free(decoded)
      try self.init(name)
      return
    }
    guard EC_GROUP_get_field_type(decoded) == NID_X9_62_prime_field, EC_GROUP_get_degree(decoded) >= 160 else {
      EC_GROUP_free(decoded)
      throw CryptographyError.unsupported("an elliptic curve over another field than a prime one of 160 bits or more")
    }
    guard try Self.isSound(decoded) else {
      EC_GROUP_free(decoded)
      ERR_clear_error()
      throw CryptographyError.malformed("parameters of an elliptic curve that is not secure")
    }
    try self.init(owning: decoded, name: nil)
  }

  /// Whether the parameters of an unknown curve are secure. EF.CardAccess is not signed: an attacker who sends a weak
  /// group could compute logarithms in it, and from them the password.
  private static func isSound(_ group: OpaquePointer) throws -> Bool {
    let prime = try BigNumber()
    guard EC_GROUP_get_curve(group, prime.pointer, nil, nil, nil) == 1, let order = EC_GROUP_get0_order(group) else {
      return false
    }
    // A small subgroup, or a curve with as many points as field elements, makes logarithms easy.
    guard BN_num_bits(order) >= 160, BN_cmp(order, prime.pointer) != 0 else { return false }
    guard EC_GROUP_check(group, nil) == 1, BN_check_prime(prime.pointer, nil, nil) == 1,
      BN_check_prime(order, nil, nil) == 1
    else { return false }
    let parameters = try CurveOrder(prime: prime, order: BigNumber(copying: order))
    guard let cofactor = try parameters.cofactor(), let sent = EC_GROUP_get0_cofactor(group) else { return false }
    let isTrue = withExtendedLifetime(cofactor) { BN_cmp(sent, cofactor.pointer) == 0 }
    return try isTrue && !parameters.hasSmallEmbeddingDegree()
  }

  /// Takes ownership of `group`.
  private init(owning group: OpaquePointer, name: String?) throws {
    do {
      order = try BigNumber()
      primeBits = Int(EC_GROUP_get_degree(group))
      coordinateLength = (primeBits + 7) / 8
      guard BN_copy(order.pointer, EC_GROUP_get0_order(group)) != nil else { throw CryptographyError.last("BN_copy") }
      hasCofactorOne = EC_GROUP_get0_cofactor(group).map { BN_is_one($0) == 1 } ?? false
      generator = try Self.encode(EC_GROUP_get0_generator(group), group, coordinateLength)
    } catch {
      // `deinit` does not run if the initialiser throws.
      EC_GROUP_free(group)
      throw error
    }
    self.group = group
    self.name = name
  }

  deinit { EC_GROUP_free(group) }

  package func isSame(as other: any KeyAgreementGroup) -> Bool {
    guard let other = other as? EllipticCurve else { return false }
    // A pointer does not keep its owner alive.
    return withExtendedLifetime(other) { EC_GROUP_cmp(group, other.group, nil) == 0 }
  }

  /// Half of the bits of the order: the cost of the best general algorithm for logarithms.
  package var strength: Int { order.bitCount / 2 }

  // MARK: - Elements

  package func validate(_ element: [UInt8]) throws { _ = try decode(element) }

  package func makePrivateKey() throws -> SecretBytes { try BigNumber.random(below: order) }

  package func multiply(_ element: [UInt8], by scalar: SecretBytes) throws -> [UInt8] {
    try encode(product(element, scalar))
  }

  package func combine(_ left: [UInt8], _ right: [UInt8]) throws -> [UInt8] {
    let sum = try newPoint()
    let operands = (try decode(left), try decode(right))
    // A pointer does not keep its owner alive.
    let isDone = withExtendedLifetime(operands) {
      EC_POINT_add(group, sum.pointer, operands.0.pointer, operands.1.pointer, nil)
    }
    guard isDone == 1 else { throw CryptographyError.last("EC_POINT_add") }
    return try encode(sum)
  }

  package func sharedSecret(privateKey: SecretBytes, with element: [UInt8]) throws -> SecretBytes {
    let point = try product(element, privateKey)
    let x = try BigNumber()
    guard EC_POINT_get_affine_coordinates(group, point.pointer, x.pointer, nil, nil) == 1 else {
      throw CryptographyError.last("EC_POINT_get_affine_coordinates")
    }
    return try x.secretBytes(count: coordinateLength)
  }

  package func compressed(_ element: [UInt8]) throws -> [UInt8] {
    try validate(element)
    return Array(element[1...coordinateLength])
  }

  package func unsigned(_ element: [UInt8]) -> [UInt8] { element }

  package func normalized(_ bytes: some Collection<UInt8>) -> [UInt8] { Array(bytes) }

  /// The point encoding of Doc 9303-11, appendix B.2, for primes `p = 3 mod 4`. It does not run in constant time, since
  /// OpenSSL's inversion and exponentiation of public numbers do not. Only this reader and the chip know the number,
  /// and only for one run.
  package func element(ofFieldValue number: [UInt8]) throws -> [UInt8] {
    let p = try BigNumber()
    let a = try BigNumber()
    let b = try BigNumber()
    guard EC_GROUP_get_curve(group, p.pointer, a.pointer, b.pointer, nil) == 1 else {
      throw CryptographyError.last("EC_GROUP_get_curve")
    }
    guard BN_is_bit_set(p.pointer, 0) == 1, BN_is_bit_set(p.pointer, 1) == 1, !a.isZero else {
      throw CryptographyError.unsupported("the integrated mapping on this elliptic curve")
    }
    let field = try PrimeField(p)
    let t = try field.remainder(BigNumber(number))
    let one = try BigNumber([1])
    // alpha = -t^2, X2 = -b/a (1 + 1/(alpha + alpha^2)), X3 = alpha X2
    let alpha = try field.negative(field.product(t, t))
    let denominator = try field.sum(alpha, field.product(alpha, alpha))
    guard !denominator.isZero else { throw GroupElementProblem.identity }
    let quotient = try field.negative(field.product(b, field.inverse(a)))
    let x2 = try field.product(quotient, field.sum(one, field.inverse(denominator)))
    let x3 = try field.product(alpha, x2)
    // h2 = X2^3 + a X2 + b, A = h2^(p - 1 - (p + 1)/4)
    let h2 = try field.sum(field.sum(field.product(field.product(x2, x2), x2), field.product(a, x2)), b)
    let exponent = try Self.encodingExponent(p)
    let root = try field.power(h2, exponent)
    let isSquare = try field.product(field.product(root, root), h2).isOne
    let x = isSquare ? x2 : x3
    let factor = isSquare ? h2 : try field.product(field.product(field.product(t, t), t), h2)
    let y = try field.product(root, factor)
    let point = try newPoint()
    guard EC_POINT_set_affine_coordinates(group, point.pointer, x.pointer, y.pointer, nil) == 1 else {
      ERR_clear_error()
      throw GroupElementProblem.notInGroup
    }
    guard !hasCofactorOne else { return try encode(point) }
    let multiple = try newPoint()
    guard
      EC_POINT_mul(group, multiple.pointer, nil, point.pointer, EC_GROUP_get0_cofactor(group), nil) == 1
    else { throw CryptographyError.last("EC_POINT_mul") }
    return try encode(multiple)
  }

  /// `p - 1 - (p + 1)/4`.
  private static func encodingExponent(_ p: BigNumber) throws -> BigNumber {
    let quarter = try BigNumber()
    let exponent = try BigNumber()
    guard BN_add(quarter.pointer, p.pointer, BN_value_one()) == 1, BN_rshift(quarter.pointer, quarter.pointer, 2) == 1,
      BN_sub(exponent.pointer, p.pointer, BN_value_one()) == 1,
      BN_sub(exponent.pointer, exponent.pointer, quarter.pointer) == 1
    else { throw CryptographyError.last("BN_sub") }
    return exponent
  }

  // MARK: - OpenSSL's points

  /// An owned `EC_POINT *`.
  private final class Point {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { EC_POINT_clear_free(pointer) }
  }

  private func newPoint() throws -> Point {
    guard let pointer = EC_POINT_new(group) else { throw CryptographyError.last("EC_POINT_new") }
    return Point(pointer)
  }

  private func decode(_ bytes: [UInt8]) throws -> Point {
    if bytes == [0] { throw GroupElementProblem.identity }
    // Doc 9303-11, 9.4.4 does not use the compressed forms.
    guard bytes.count == 1 + 2 * coordinateLength, bytes[0] == 0x04 else { throw GroupElementProblem.malformed }
    let point = try newPoint()
    guard EC_POINT_oct2point(group, point.pointer, bytes, bytes.count, nil) == 1 else {
      ERR_clear_error()
      throw GroupElementProblem.notInGroup
    }
    if !hasCofactorOne {
      let multiple = try newPoint()
      guard EC_POINT_mul(group, multiple.pointer, nil, point.pointer, order.pointer, nil) == 1 else {
        throw CryptographyError.last("EC_POINT_mul")
      }
      guard EC_POINT_is_at_infinity(group, multiple.pointer) == 1 else { throw GroupElementProblem.notInGroup }
    }
    return point
  }

  private func product(_ element: [UInt8], _ scalar: SecretBytes) throws -> Point {
    let result = try newPoint()
    let number = try BigNumber(scalar)
    let base = element == generator ? nil : try decode(element)
    // For a single scalar and point OpenSSL uses its constant-time ladder. A pointer does not keep its owner alive.
    let isDone = withExtendedLifetime((number, base)) {
      if let base {
        EC_POINT_mul(group, result.pointer, nil, base.pointer, number.pointer, nil)
      } else {
        EC_POINT_mul(group, result.pointer, number.pointer, nil, nil, nil)
      }
    }
    guard isDone == 1 else { throw CryptographyError.last("EC_POINT_mul") }
    guard EC_POINT_is_at_infinity(group, result.pointer) == 0 else { throw GroupElementProblem.identity }
    return result
  }

  private func encode(_ point: Point) throws -> [UInt8] {
    guard EC_POINT_is_at_infinity(group, point.pointer) == 0 else { throw GroupElementProblem.identity }
    return try Self.encode(point.pointer, group, coordinateLength)
  }

  private static func encode(_ point: OpaquePointer?, _ group: OpaquePointer, _ length: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 + 2 * length)
    guard
      EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil) == bytes.count
    else { throw CryptographyError.last("EC_POINT_point2oct") }
    return bytes
  }
}
