internal import CTesseraOpenSSL

/// Properties of a curve that follow from its prime `p` and the order `n` of its generator, both known to be prime.
struct CurveOrder {
  let prime: BigNumber
  let order: BigNumber

  /// The cofactor `h` of the generator's subgroup, computed because OpenSSL 3.0 does not verify the one that was sent.
  ///
  /// The curve has between `p + 1 - 2 sqrt(p)` and `p + 1 + 2 sqrt(p)` points (Hasse), so at most one `h` is possible
  /// if `n` is greater than `4 sqrt(p)`.
  ///
  /// nil if no number of points fits, or if the order is too small to decide.
  func cofactor() throws -> BigNumber? {
    let scratch = try BigNumberContext()
    let points = try BigNumber()
    let cofactor = try BigNumber()
    let square = try BigNumber()
    let bound = try BigNumber()
    // A pointer does not keep its owner alive.
    return try withExtendedLifetime((scratch, points, square, bound)) {
      // n^2 > 16 p
      guard BN_sqr(square.pointer, order.pointer, scratch.pointer) == 1,
        BN_lshift(bound.pointer, prime.pointer, 4) == 1
      else { throw CryptographyError.last("BN_sqr") }
      guard bound < square else { return nil }
      // h is (p + 1)/n, rounded: (p + 1 + n/2)/n.
      guard BN_rshift(square.pointer, order.pointer, 1) == 1,
        BN_add(points.pointer, prime.pointer, BN_value_one()) == 1,
        BN_add(square.pointer, square.pointer, points.pointer) == 1,
        BN_div(cofactor.pointer, nil, square.pointer, order.pointer, scratch.pointer) == 1
      else { throw CryptographyError.last("BN_div") }
      // (h n - (p + 1))^2 <= 4 p
      guard BN_mul(square.pointer, cofactor.pointer, order.pointer, scratch.pointer) == 1,
        BN_sub(square.pointer, square.pointer, points.pointer) == 1,
        BN_sqr(square.pointer, square.pointer, scratch.pointer) == 1,
        BN_lshift(bound.pointer, prime.pointer, 2) == 1
      else { throw CryptographyError.last("BN_mul") }
      return cofactor.isZero || bound < square ? nil : cofactor
    }
  }

  /// Whether a pairing maps logarithms on the curve into a field of at most 20 times the prime's length, if they are
  /// easier to compute (attack of Menezes, Okamoto and Vanstone): `p^k = 1 mod n` for `k` up to 20.
  func hasSmallEmbeddingDegree() throws -> Bool {
    let field = try PrimeField(order)
    let base = try field.remainder(prime)
    var power = base
    for _ in 1...20 {
      if power.isOne { return true }
      power = try field.product(power, base)
    }
    return false
  }
}
