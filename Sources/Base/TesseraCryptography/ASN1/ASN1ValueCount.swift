/// Counts the values of a BER encoding (ITU-T X.690, 8.1) without a tree of them.
enum ASN1ValueCount {
  /// Whether the encoding has at most `limit` values, at all depths.
  ///
  /// - Returns: false also for a malformed header. Other errors, such as a value that is longer than the one around it,
  ///   are left to the parser.
  static func isAtMost(_ limit: Int, in bytes: [UInt8]) -> Bool {
    var position = 0
    var count = 0
    while position < bytes.count {
      guard let next = following(position, in: bytes) else { return false }
      position = next
      count += 1
      if count > limit { return false }
    }
    return true
  }

  /// The position of the value that follows in the encoding: the first inside a constructed one, the next after a
  /// primitive one.
  private static func following(_ start: Int, in bytes: [UInt8]) -> Int? {
    var rest = bytes[start...]
    guard let tag = rest.popFirst() else { return nil }
    if tag & 0x1F == 0x1F {
      guard let last = rest.firstIndex(where: { $0 < 0x80 }) else { return nil }
      rest = rest[(last + 1)...]
    }
    guard let first = rest.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let octets = rest.prefix(Int(first & 0x7F))
      guard octets.count == Int(first & 0x7F) else { return nil }
      let number = octets.drop { $0 == 0 }
      guard number.count <= 4 else { return nil }
      length = number.reduce(0) { $0 << 8 | Int($1) }
      rest = rest[octets.endIndex...]
    }
    let isConstructed = tag & 0x20 != 0
    if isConstructed { return rest.startIndex }
    guard first != 0x80, length <= rest.count else { return nil }
    return rest.startIndex + length
  }
}
