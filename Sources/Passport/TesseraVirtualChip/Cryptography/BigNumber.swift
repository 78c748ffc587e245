internal import CTesseraOpenSSL
import TesseraCryptography

/// A non-negative integer of any size, for the computations that OpenSSL's high-level functions do not offer. Its
/// memory is cleared when it is freed.
final class BigNumber {
  let pointer: OpaquePointer

  private init(_ pointer: OpaquePointer?) throws {
    guard let pointer else { throw CryptographyError.openSSL("BIGNUM") }
    self.pointer = pointer
  }

  /// Big-endian, with leading zeros or without.
  convenience init(_ bytes: some Collection<UInt8>) throws {
    let bytes = Array(bytes)
    guard let count = Int32(exactly: bytes.count) else { throw CryptographyError.malformed("a number") }
    try self.init(BN_bin2bn(bytes, count, nil))
  }

  convenience init(copying other: OpaquePointer?) throws { try self.init(other.flatMap { BN_dup($0) }) }

  convenience init(_ small: UInt = 0) throws {
    try self.init(BN_new())
    guard BN_set_word(pointer, small) == 1 else { throw CryptographyError.openSSL("BN_set_word") }
  }

  deinit { BN_clear_free(pointer) }

  var isZero: Bool { BN_is_zero(pointer) == 1 }
  var isOne: Bool { BN_is_one(pointer) == 1 }
  var bitCount: Int { Int(BN_num_bits(pointer)) }
  var byteCount: Int { (bitCount + 7) / 8 }

  /// Big-endian, without leading zeros.
  func bytes() throws -> [UInt8] { try bytes(count: byteCount) }

  /// Big-endian, `count` bytes.
  func bytes(count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard BN_bn2binpad(pointer, &bytes, Int32(count)) == Int32(count) else {
      throw CryptographyError.openSSL("BN_bn2binpad")
    }
    return bytes
  }

  /// - Throws: If the result would be negative.
  func subtracting(_ other: BigNumber) throws -> BigNumber {
    let result = try BigNumber()
    guard self >= other, BN_sub(result.pointer, pointer, other.pointer) == 1 else {
      throw CryptographyError.openSSL("BN_sub")
    }
    return result
  }

  func subtracting(_ small: UInt) throws -> BigNumber { try subtracting(BigNumber(small)) }

  func adding(_ other: BigNumber) throws -> BigNumber {
    let result = try BigNumber()
    guard BN_add(result.pointer, pointer, other.pointer) == 1 else { throw CryptographyError.openSSL("BN_add") }
    return result
  }

  func multiplied(by other: BigNumber) throws -> BigNumber {
    let result = try BigNumber()
    let context = try ModularArithmetic.scratch()
    defer { BN_CTX_free(context) }
    guard BN_mul(result.pointer, pointer, other.pointer, context) == 1 else {
      throw CryptographyError.openSSL("BN_mul")
    }
    return result
  }

  /// The integer quotient.
  func divided(by other: BigNumber) throws -> BigNumber {
    let result = try BigNumber()
    let context = try ModularArithmetic.scratch()
    defer { BN_CTX_free(context) }
    guard BN_div(result.pointer, nil, pointer, other.pointer, context) == 1 else {
      throw CryptographyError.openSSL("BN_div")
    }
    return result
  }

  /// The number divided by 2 to the power of `count`, rounded down.
  func shiftedRight(by count: Int) throws -> BigNumber {
    let result = try BigNumber()
    guard BN_rshift(result.pointer, pointer, Int32(count)) == 1 else { throw CryptographyError.openSSL("BN_rshift") }
    return result
  }
}

extension BigNumber: Comparable {
  static func == (left: BigNumber, right: BigNumber) -> Bool { BN_cmp(left.pointer, right.pointer) == 0 }
  static func < (left: BigNumber, right: BigNumber) -> Bool { BN_cmp(left.pointer, right.pointer) < 0 }
}

/// Arithmetic modulo one number.
final class ModularArithmetic {
  let modulus: BigNumber
  private let context: OpaquePointer

  init(_ modulus: BigNumber) throws {
    self.modulus = modulus
    context = try Self.scratch()
  }

  deinit { BN_CTX_free(context) }

  static func scratch() throws -> OpaquePointer {
    guard let context = BN_CTX_secure_new() else { throw CryptographyError.openSSL("BN_CTX") }
    return context
  }

  func reduce(_ value: BigNumber) throws -> BigNumber { try result { BN_nnmod($0, value.pointer, $1, $2) } }

  func add(_ a: BigNumber, _ b: BigNumber) throws -> BigNumber {
    try result { BN_mod_add($0, a.pointer, b.pointer, $1, $2) }
  }

  func multiply(_ a: BigNumber, _ b: BigNumber) throws -> BigNumber {
    try result { BN_mod_mul($0, a.pointer, b.pointer, $1, $2) }
  }

  func power(_ base: BigNumber, _ exponent: BigNumber) throws -> BigNumber {
    try result { BN_mod_exp($0, base.pointer, exponent.pointer, $1, $2) }
  }

  func negate(_ a: BigNumber) throws -> BigNumber { try reduce(modulus.subtracting(reduce(a))) }

  /// - Throws: If there is no inverse, as for zero.
  func inverse(_ a: BigNumber) throws -> BigNumber {
    let result = try BigNumber()
    guard BN_mod_inverse(result.pointer, a.pointer, modulus.pointer, context) != nil else {
      throw CryptographyError.openSSL("BN_mod_inverse")
    }
    return result
  }

  private func result(
    _ body: (OpaquePointer, OpaquePointer, OpaquePointer) -> Int32
  ) throws -> BigNumber {
    let result = try BigNumber()
    guard body(result.pointer, modulus.pointer, context) == 1 else { throw CryptographyError.openSSL("BIGNUM") }
    return result
  }
}

extension CryptographyError {
  /// The error of the last OpenSSL call. Empties the thread's error queue.
  static func openSSL(_ operation: String) -> CryptographyError {
    var reasons: [String] = []
    while true {
      let code = ERR_get_error()
      guard code != 0 else { break }
      if let text = ERR_reason_error_string(code) { reasons.append(String(cString: text)) }
    }
    return .openSSL(operation: operation, reasons: reasons)
  }
}
