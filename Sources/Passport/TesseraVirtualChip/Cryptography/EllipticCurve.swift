internal import CTesseraOpenSSL
import TesseraCryptography
import TesseraSmartCard

/// A curve `y² = x³ + ax + b` over a prime field.
///
/// `@unchecked Sendable`: OpenSSL's group object is only read after the initialiser.
final class EllipticCurve: AgreementGroup, @unchecked Sendable {
  private let group: OpaquePointer
  let generator: [UInt8]
  let order: [UInt8]
  let fieldBits: Int
  var kind: AgreementKind { .ellipticCurve }
  var fieldLength: Int { (fieldBits + 7) / 8 }

  /// - Parameter identifier: OpenSSL's number of the curve.
  init(_ identifier: Int32) throws {
    guard let group = EC_GROUP_new_by_curve_name(identifier) else { throw CryptographyError.openSSL("the curve") }
    self.group = group
    fieldBits = Int(EC_GROUP_get_degree(group))
    do {
      order = try BigNumber(copying: EC_GROUP_get0_order(group)).bytes()
      generator = try Self.encode(EC_GROUP_get0_generator(group), group, length: (fieldBits + 7) / 8)
    } catch {
      // `deinit` does not run if the initialiser throws.
      EC_GROUP_free(group)
      throw error
    }
  }

  deinit { EC_GROUP_free(group) }

  // MARK: - Points

  private final class Point {
    let pointer: OpaquePointer

    init(_ group: OpaquePointer) throws {
      guard let pointer = EC_POINT_new(group) else { throw CryptographyError.openSSL("EC_POINT_new") }
      self.pointer = pointer
    }

    deinit { EC_POINT_clear_free(pointer) }
  }

  /// OpenSSL checks that the point is on the curve.
  private func decode(_ bytes: [UInt8]) throws -> Point {
    let point = try Point(group)
    guard bytes.count == 1 + 2 * fieldLength, bytes.first == 0x04,
      EC_POINT_oct2point(group, point.pointer, bytes, bytes.count, nil) == 1
    else {
      ERR_clear_error()
      throw CryptographyError.malformed("a point that is not on the curve")
    }
    return point
  }

  private static func encode(_ point: OpaquePointer?, _ group: OpaquePointer, length: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 + 2 * length)
    guard let point, EC_POINT_is_at_infinity(group, point) == 0 else {
      throw CryptographyError.malformed("the point at infinity")
    }
    guard EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil) == bytes.count
    else { throw CryptographyError.openSSL("EC_POINT_point2oct") }
    return bytes
  }

  private func encode(_ point: Point) throws -> [UInt8] {
    try Self.encode(point.pointer, group, length: fieldLength)
  }

  func check(_ publicKey: [UInt8]) throws { _ = try decode(publicKey) }

  func raise(_ base: [UInt8], to exponent: [UInt8]) throws -> [UInt8] {
    let base = try decode(base)
    let product = try Point(group)
    let number = try BigNumber(exponent)
    guard EC_POINT_mul(group, product.pointer, nil, base.pointer, number.pointer, nil) == 1 else {
      throw CryptographyError.openSSL("EC_POINT_mul")
    }
    return try encode(product)
  }

  func combine(_ left: [UInt8], _ right: [UInt8]) throws -> [UInt8] {
    let (a, b) = (try decode(left), try decode(right))
    let sum = try Point(group)
    guard EC_POINT_add(group, sum.pointer, a.pointer, b.pointer, nil) == 1 else {
      throw CryptographyError.openSSL("EC_POINT_add")
    }
    return try encode(sum)
  }

  private func x(of point: [UInt8]) -> ArraySlice<UInt8> { point.dropFirst().prefix(fieldLength) }

  func secret(of element: [UInt8]) -> SecretBytes { SecretBytes(x(of: element)) }

  func encoded(_ element: [UInt8]) -> [UInt8] { element }

  func compressed(_ publicKey: [UInt8]) throws -> [UInt8] { Array(x(of: publicKey)) }

  // MARK: - Integrated Mapping

  private struct Coefficients {
    let prime, a, b, cofactor: BigNumber
  }

  private func coefficients() throws -> Coefficients {
    let (prime, a, b) = (try BigNumber(), try BigNumber(), try BigNumber())
    guard EC_GROUP_get_curve(group, prime.pointer, a.pointer, b.pointer, nil) == 1 else {
      throw CryptographyError.openSSL("EC_GROUP_get_curve")
    }
    return Coefficients(
      prime: prime, a: a, b: b, cofactor: try BigNumber(copying: EC_GROUP_get0_cofactor(group)))
  }

  /// The point encoding of Doc 9303-11, appendix B.2, in affine coordinates. It requires `p ≡ 3 (mod 4)`.
  func element(of pseudoRandom: [UInt8]) throws -> [UInt8] {
    let curve = try coefficients()
    let field = try ModularArithmetic(curve.prime)
    guard try curve.prime.bytes().last.map({ $0 & 3 == 3 }) == true else {
      throw CryptographyError.unsupported("Integrated Mapping on this curve")
    }
    let one = try BigNumber(1)
    let t = try field.reduce(BigNumber(pseudoRandom))
    func height(_ x: BigNumber) throws -> BigNumber {
      let cube = try field.multiply(field.multiply(x, x), x)
      return try field.add(field.add(cube, field.multiply(curve.a, x)), curve.b)
    }
    // 1. alpha = -t²
    let alpha = try field.negate(field.multiply(t, t))
    // 2. X2 = -b / a · (1 + 1 / (alpha + alpha²))
    let inner = try field.add(one, field.inverse(field.add(alpha, field.multiply(alpha, alpha))))
    let x2 = try field.multiply(field.negate(field.multiply(curve.b, field.inverse(curve.a))), inner)
    // 3. and 4.
    let x3 = try field.multiply(alpha, x2)
    let h2 = try height(x2)
    // 5. U = t³ · h2
    let u = try field.multiply(field.multiply(field.multiply(t, t), t), h2)
    // 6. A = h2^(p - 1 - (p + 1) / 4)
    let quarter = try curve.prime.adding(one).shiftedRight(by: 2)
    let a = try field.power(h2, curve.prime.subtracting(one).subtracting(quarter))
    // 7. and 8.
    let isSquare = try field.multiply(field.multiply(a, a), h2).isOne
    let x = isSquare ? x2 : x3
    let y = try field.multiply(a, isSquare ? h2 : u)
    let point = [0x04] + (try x.bytes(count: fieldLength)) + (try y.bytes(count: fieldLength))
    return curve.cofactor.isOne ? point : try raise(point, to: curve.cofactor.bytes())
  }

  // MARK: - Encoding

  /// `ECParameters` of RFC 3279, 2.3.5 and BSI TR-03111, 5.2.2.
  func explicitAlgorithm() throws -> [UInt8] {
    let curve = try coefficients()
    let field = DERBytes.sequence(
      DERBytes.objectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x01, 0x01]), DERBytes.integer(try curve.prime.bytes()))
    let parameters = DERBytes.sequence(
      DERBytes.integer(1), field,
      DERBytes.sequence(
        BERTLV.encode(0x04, try curve.a.bytes(count: fieldLength)),
        BERTLV.encode(0x04, try curve.b.bytes(count: fieldLength))),
      BERTLV.encode(0x04, generator), DERBytes.integer(order), DERBytes.integer(try curve.cofactor.bytes()))
    return DERBytes.sequence(
      DERBytes.objectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]), parameters)
  }

  func bitString(_ publicKey: [UInt8]) -> [UInt8] { publicKey }

  /// The data objects 81 to 85 of a card verifiable public key (BSI TR-03110-3, D.3.3).
  func cardVerifiableParameters() throws -> [UInt8] {
    let curve = try coefficients()
    return try BERTLV.encode(0x81, curve.prime.bytes()) + BERTLV.encode(0x82, curve.a.bytes(count: fieldLength))
      + BERTLV.encode(0x83, curve.b.bytes(count: fieldLength)) + BERTLV.encode(0x84, generator)
      + BERTLV.encode(0x85, order)
  }

  // MARK: - ECDSA

  /// `r || s`, each as long as the order (BSI TR-03111, 4.2.1).
  func sign(_ digest: [UInt8], with exponent: [UInt8]) throws -> (r: [UInt8], s: [UInt8]) {
    let numbers = try ModularArithmetic(BigNumber(order))
    // The leftmost bits of the digest, as many as the order has.
    let excess = max(0, digest.count * 8 - numbers.modulus.bitCount)
    let z = try numbers.reduce(BigNumber(digest).shiftedRight(by: excess))
    while true {
      let nonce = try randomExponent()
      let r = try numbers.reduce(BigNumber(x(of: publicKey(of: nonce))))
      let sum = try numbers.add(z, numbers.multiply(r, BigNumber(exponent)))
      let s = try numbers.multiply(numbers.inverse(BigNumber(nonce)), sum)
      // Zero is as improbable as guessing the key.
      if !r.isZero, !s.isZero { return (try r.bytes(count: order.count), try s.bytes(count: order.count)) }
    }
  }
}
