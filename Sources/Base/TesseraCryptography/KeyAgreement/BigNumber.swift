internal import CTesseraOpenSSL

/// An owned `BIGNUM *`, wiped when it is released.
///
/// OpenSSL's numbers are used instead of a Swift package, because private scalars need constant-time arithmetic in
/// memory that is wiped. TesseraVirtualChip has its own wrapper on purpose: the card's side and the reader's side share
/// no arithmetic, so that an error in one is not hidden by the same error in the other.
final class BigNumber {
  let pointer: OpaquePointer

  init() throws {
    guard let pointer = BN_new() else { throw CryptographyError.last("BN_new") }
    self.pointer = pointer
  }

  /// - Parameter bytes: big-endian, unsigned.
  init(_ bytes: some Collection<UInt8>) throws {
    let bytes = Array(bytes)
    guard let count = Int32(exactly: bytes.count), let pointer = BN_bin2bn(bytes, count, nil) else {
      throw CryptographyError.last("BN_bin2bn")
    }
    self.pointer = pointer
  }

  /// A secret number. OpenSSL computes with it in constant time if it can.
  init(_ secret: SecretBytes) throws {
    guard let pointer = BN_secure_new() else { throw CryptographyError.last("BN_secure_new") }
    self.pointer = pointer
    BN_set_flags(pointer, BN_FLG_CONSTTIME)
    let isRead = secret.withUnsafeBytes {
      BN_bin2bn($0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(clamping: $0.count), pointer) != nil
    }
    guard isRead else { throw CryptographyError.last("BN_bin2bn") }
  }

  /// Copies a number that another OpenSSL object owns.
  convenience init(copying number: OpaquePointer?) throws {
    try self.init()
    guard BN_copy(pointer, number) != nil else { throw CryptographyError.last("BN_copy") }
  }

  /// A random number between 1 and `limit - 1`.
  static func random(below limit: BigNumber) throws -> SecretBytes {
    guard let number = BN_secure_new() else { throw CryptographyError.last("BN_secure_new") }
    defer { BN_clear_free(number) }
    repeat {
      guard BN_priv_rand_range(number, limit.pointer) == 1 else { throw CryptographyError.last("BN_priv_rand_range") }
    } while BN_is_zero(number) == 1
    return try SecretBytes(count: limit.byteCount) { try fill($0, from: number) }
  }

  deinit { BN_clear_free(pointer) }

  var bitCount: Int { Int(BN_num_bits(pointer)) }
  var byteCount: Int { (bitCount + 7) / 8 }
  var isZero: Bool { BN_is_zero(pointer) == 1 }
  var isOne: Bool { BN_is_one(pointer) == 1 }
  var isOdd: Bool { BN_is_odd(pointer) == 1 }

  static func < (left: BigNumber, right: BigNumber) -> Bool { BN_cmp(left.pointer, right.pointer) < 0 }
  static func == (left: BigNumber, right: BigNumber) -> Bool { BN_cmp(left.pointer, right.pointer) == 0 }

  /// Big-endian with leading zeros.
  func bytes(count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try bytes.withUnsafeMutableBytes { try Self.fill($0, from: pointer) }
    return bytes
  }

  /// Big-endian with leading zeros, in memory that is wiped.
  func secretBytes(count: Int) throws -> SecretBytes {
    try SecretBytes(count: count) { try Self.fill($0, from: pointer) }
  }

  private static func fill(_ buffer: UnsafeMutableRawBufferPointer, from number: OpaquePointer) throws {
    let length = Int32(clamping: buffer.count)
    guard BN_bn2binpad(number, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), length) == length else {
      throw CryptographyError.last("BN_bn2binpad")
    }
  }
}

/// An owned `BN_CTX *`: temporary numbers of one computation.
final class BigNumberContext {
  let pointer: OpaquePointer

  init() throws {
    guard let pointer = BN_CTX_secure_new() else { throw CryptographyError.last("BN_CTX_secure_new") }
    self.pointer = pointer
  }

  deinit { BN_CTX_free(pointer) }
}

/// Arithmetic modulo a prime, for mappings that OpenSSL does not implement.
struct PrimeField {
  let prime: BigNumber
  let context: BigNumberContext

  init(_ prime: BigNumber) throws {
    self.prime = prime
    context = try BigNumberContext()
  }

  private func result(_ operation: String, _ body: (OpaquePointer) -> Int32) throws -> BigNumber {
    let result = try BigNumber()
    // A pointer does not keep its owner alive. The callers keep the operands alive.
    let isDone = withExtendedLifetime((result, prime, context)) { body(result.pointer) }
    guard isDone == 1 else { throw CryptographyError.last(operation) }
    return result
  }

  func sum(_ a: BigNumber, _ b: BigNumber) throws -> BigNumber {
    try result("BN_mod_add") { BN_mod_add($0, a.pointer, b.pointer, prime.pointer, context.pointer) }
  }

  func product(_ a: BigNumber, _ b: BigNumber) throws -> BigNumber {
    try result("BN_mod_mul") { BN_mod_mul($0, a.pointer, b.pointer, prime.pointer, context.pointer) }
  }

  func power(_ base: BigNumber, _ exponent: BigNumber) throws -> BigNumber {
    try result("BN_mod_exp") { BN_mod_exp($0, base.pointer, exponent.pointer, prime.pointer, context.pointer) }
  }

  func negative(_ a: BigNumber) throws -> BigNumber {
    let zero = try BigNumber()
    return try result("BN_mod_sub") { BN_mod_sub($0, zero.pointer, a.pointer, prime.pointer, context.pointer) }
  }

  func remainder(_ a: BigNumber) throws -> BigNumber {
    try result("BN_nnmod") { BN_nnmod($0, a.pointer, prime.pointer, context.pointer) }
  }

  /// - Throws: `CryptographyError.openSSL` for zero.
  func inverse(_ a: BigNumber) throws -> BigNumber {
    try result("BN_mod_inverse") { BN_mod_inverse($0, a.pointer, prime.pointer, context.pointer) == nil ? 0 : 1 }
  }
}
