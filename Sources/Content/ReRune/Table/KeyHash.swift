import Glibc

/// The hash of keys: each step multiplies eight bytes into the state and folds the 128 bits of the product, as wyhash
/// does. The seed is random, so that no server can choose keys that collide.
enum KeyHash {
  private static let seed = UInt64.random(in: .min ... .max)
  private static let multiplier: UInt64 = 0xA076_1D64_78BD_642F
  private static let lengthMultiplier: UInt64 = 0xE703_7ED1_A0B4_28DB

  static func of(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 {
    guard let start = UnsafeRawPointer(key.baseAddress), !key.isEmpty else { return seed }
    let count = key.count
    var hash = seed
    var offset = 0
    while offset + 8 <= count {
      hash = fold(hash ^ start.loadUnaligned(fromByteOffset: offset, as: UInt64.self), multiplier ^ seed)
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < count {
      rest = rest << 8 | UInt64(start.load(fromByteOffset: offset, as: UInt8.self))
      offset += 1
    }
    return fold(hash ^ rest, lengthMultiplier ^ UInt64(truncatingIfNeeded: count))
  }

  /// The hash of two numbers in this order.
  static func of(_ one: UInt64, _ other: UInt64) -> UInt64 {
    fold(fold(seed ^ one, multiplier ^ seed) ^ other, lengthMultiplier ^ seed)
  }

  private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
  }

  static func isEqual(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    guard let one = one.baseAddress, let start = other.baseAddress, other.count > 0 else { return true }
    return memcmp(one, start, other.count) == 0
  }
}
