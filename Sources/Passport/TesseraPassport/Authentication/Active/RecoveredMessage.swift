import TesseraCryptography

/// A message recovered from a signature of ISO/IEC 9796-2, scheme 1: header, recoverable part, digest, trailer.
struct RecoveredMessage: Equatable {
  /// `M1`, chosen by the chip; or the whole message if it fits into the signature.
  let recoverable: [UInt8]
  /// The digest over the recoverable part and the part that is not in the signature.
  let digest: [UInt8]
  let hashAlgorithm: HashAlgorithm
  /// Whether a part of the message is not in the signature.
  let isPartial: Bool

  /// The reason why bytes are not such a message.
  enum Problem: Error, Equatable {
    case header
    case trailer
    /// The trailer names an unknown hash function.
    case hashAlgorithm(UInt8)
    case tooShort
  }

  /// What bytes may be. The trailer BC of ISO/IEC 9796-2 names no hash function: Doc 9303-11, 6.1.2.2 means SHA-1 by it, and
  /// some chips use another one. Trying all of them is safe: a signature that is valid with any needs the private key.
  static func readings(of bytes: [UInt8]) throws(Problem) -> [RecoveredMessage] {
    let first = try RecoveredMessage(bytes)
    guard bytes.last == 0xBC else { return [first] }
    return [first]
      + HashAlgorithm.allCases.filter { $0 != .sha1 }.compactMap { try? RecoveredMessage(bytes, implicitHash: $0) }
  }

  /// - Parameters:
  ///   - bytes: the message representative `F`, recovered from the signature.
  ///   - implicitHash: the hash function if the trailer names none.
  init(_ bytes: [UInt8], implicitHash: HashAlgorithm = .sha1) throws(Problem) {
    // Two bits 01, one for "more data", padding up to a nibble A: 6A and 4A, or 6B BB … BA and 4B BB … BA.
    guard let first = bytes.first, first & 0xC0 == 0x40 else { throw .header }
    isPartial = first & 0x20 != 0
    guard first & 0x10 == 0, let start = Self.start(bytes) else { throw .header }
    let trailer = try Self.trailer(bytes, implicitHash)
    hashAlgorithm = trailer.hash
    let end = bytes.count - trailer.length - trailer.hash.digestLength
    guard start < end else { throw .tooShort }
    recoverable = Array(bytes[start..<end])
    digest = Array(bytes[end..<bytes.count - trailer.length])
  }

  /// The start of the recoverable part: after the nibble A that ends the padding.
  private static func start(_ bytes: [UInt8]) -> Int? {
    var padding = 0
    for (index, byte) in bytes.enumerated() {
      if byte & 0x0F == 0x0A { return index == 0 || byte >> 4 == 0x0B ? index + 1 : nil }
      guard byte & 0x0F == 0x0B, index == 0 || byte >> 4 == 0x0B else { return nil }
      padding += 1
      // Longer padding leaves no space for a message.
      guard padding < 1024 else { return nil }
    }
    return nil
  }

  /// Option 1 is the byte BC without a hash function: SHA-1 (Doc 9303-11, 6.1.2.2). Option 2 states the hash function.
  private static func trailer(
    _ bytes: [UInt8], _ implicitHash: HashAlgorithm
  ) throws(Problem) -> (hash: HashAlgorithm, length: Int) {
    guard bytes.count >= 3, let last = bytes.last else { throw .trailer }
    if last == 0xBC { return (implicitHash, 1) }
    guard last == 0xCC else { throw .trailer }
    // The numbers of ISO/IEC 10118-3.
    switch bytes[bytes.count - 2] {
    case 0x33: return (.sha1, 2)
    case 0x34: return (.sha256, 2)
    case 0x35: return (.sha512, 2)
    case 0x36: return (.sha384, 2)
    case 0x38: return (.sha224, 2)
    case let number: throw .hashAlgorithm(number)
    }
  }

  /// Whether the message covers `challenge`.
  func covers(_ challenge: [UInt8]) throws -> Bool {
    if isPartial { return try hashAlgorithm.digest(of: recoverable + challenge) == digest }
    // The signature contains the whole message, which must end with the challenge.
    return try recoverable.suffix(challenge.count).elementsEqual(challenge)
      && hashAlgorithm.digest(of: recoverable) == digest
  }
}
