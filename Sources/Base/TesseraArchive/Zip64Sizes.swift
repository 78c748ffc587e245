/// Sizes and places in Zip64 form (APPNOTE.TXT, 4.5.3), as some programs write them for small files too.
///
/// minizip 1.1 compares the size 0xFFFFFFFF of the directory with a number of 64 bits on machines whose `long` has as many,
/// so it never looks at the field that has the size. Here the numbers go back to their places of 32 bits.
enum Zip64Sizes {
  private static let unknown = Int(UInt32.max)

  /// The archive with numbers of 32 bits in its directory, where they fit. What is malformed is left to minizip.
  ///
  /// - Parameter end: the offset of the end of central directory record.
  static func inPlace(_ bytes: [UInt8], end: Int) -> [UInt8] {
    guard var position = directory(bytes, end: end) else { return bytes }
    var result = bytes
    while position + 46 <= end, bytes[position...].starts(with: [0x50, 0x4B, 0x01, 0x02]) {
      let fields = position + 46 + number(bytes, position + 28, 2)
      let extra = fields..<fields + number(bytes, position + 30, 2)
      let next = extra.upperBound + number(bytes, position + 32, 2)
      guard next <= end else { return bytes }
      // In the order in which the field has those that are absent: size, compressed size, place.
      let absent = [24, 20, 42].map { position + $0 }.filter { number(bytes, $0, 4) == unknown }
      if !absent.isEmpty {
        for (place, value) in zip(absent, values(bytes, extra)) where value < unknown {
          for byte in 0..<4 { result[place + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
        }
      }
      position = next
    }
    return result
  }

  /// The offset of the central directory.
  private static func directory(_ bytes: [UInt8], end: Int) -> Int? {
    var offset = number(bytes, end + 16, 4)
    // The locator stands before the end record.
    let locator = end - 20
    if offset == unknown, locator >= 0, bytes[locator...].starts(with: [0x50, 0x4B, 0x06, 0x07]) {
      let record = number(bytes, locator + 8, 8)
      guard record <= locator - 56 else { return nil }
      offset = number(bytes, record + 48, 8)
    }
    return offset < end ? offset : nil
  }

  /// The numbers of the Zip64 extended information; none if there is none.
  private static func values(_ bytes: [UInt8], _ extra: Range<Int>) -> [Int] {
    var position = extra.lowerBound
    while position + 4 <= extra.upperBound {
      let next = position + 4 + number(bytes, position + 2, 2)
      guard next <= extra.upperBound else { return [] }
      if number(bytes, position, 2) == 1 {
        return stride(from: position + 4, through: next - 8, by: 8).map { number(bytes, $0, 8) }
      }
      position = next
    }
    return []
  }

  /// A little-endian number. One that `Int` has not is as large as can be.
  private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
    Int(clamping: bytes[start..<start + count].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}
