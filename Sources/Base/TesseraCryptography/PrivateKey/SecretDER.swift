/// Reads DER that contains a secret, in place. The general parser would leave copies of the secret in memory.
struct SecretDER {
  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  /// The tag of the next value.
  var nextTag: UInt8? { rest.first }

  /// The content of the next value.
  ///
  /// - Throws: `CryptographyError.malformed` for another tag, or for a length that is missing, too large or not
  ///   minimal.
  mutating func value(_ tag: UInt8, _ what: String) throws -> UnsafeRawBufferPointer {
    guard rest.count >= 2, rest[0] == tag else { throw CryptographyError.malformed(what) }
    var length = Int(rest[1])
    var head = 2
    if length >= 0x80 {
      let count = length - 0x80
      guard (1...2).contains(count), rest.count >= 2 + count else { throw CryptographyError.malformed(what) }
      length = rest[2..<2 + count].reduce(0) { $0 << 8 | Int($1) }
      head += count
      guard length >= 0x80, count == 1 || length > 0xFF else { throw CryptographyError.malformed(what) }
    }
    guard rest.count - head >= length else { throw CryptographyError.malformed(what) }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[(head + length)...]) }
    return UnsafeRawBufferPointer(rebasing: rest[head..<head + length])
  }
}
