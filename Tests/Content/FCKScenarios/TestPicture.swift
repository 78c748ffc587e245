/// Picture files that are made here.
enum TestPicture {
  /// A PNG of one colour, eight bits each of red, green and blue, not compressed.
  static func png(width: Int, height: Int, red: UInt8 = 200, green: UInt8 = 60, blue: UInt8 = 60) -> [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    file += chunk("IHDR", number(width) + number(height) + [8, 2, 0, 0, 0])
    let row = [UInt8(0)] + (0..<width).flatMap { _ in [red, green, blue] }
    file += chunk("IDAT", stored((0..<height).flatMap { _ in row }))
    return file + chunk("IEND", [])
  }

  /// The header of a PNG of this size, without pixels.
  static func header(width: Int, height: Int) -> [UInt8] {
    let file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    return file + chunk("IHDR", number(width) + number(height) + [8, 2, 0, 0, 0])
  }

  /// A black PNG, eight bits each of red, green and blue: as small as DEFLATE makes it.
  static func black(width: Int, height: Int) -> [UInt8] {
    let file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    return file + chunk("IHDR", number(width) + number(height) + [8, 2, 0, 0, 0])
      + chunk("IDAT", zeros(height * (1 + width * 3))) + chunk("IEND", [])
  }

  /// A zlib stream of zeros: one of them, and then the same 258 bytes again and again (RFC 1951, 3.2.6).
  private static func zeros(_ count: Int) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var (bits, length): (UInt32, UInt32) = (0, 0)
    func add(_ value: UInt32, _ size: UInt32) {
      bits |= value << length
      length += size
      while length >= 8 {
        stream.append(UInt8(truncatingIfNeeded: bits))
        bits >>= 8
        length -= 8
      }
    }
    // The last block, with fixed codes.
    add(0b011, 3)
    let repetitions = (count - 1) / 258
    // Codes are written with their highest bit first. The literal 0 is 00110000.
    for _ in 0..<(count - repetitions * 258) { add(0b0000_1100, 8) }
    // The length 258 is the code 285, 11000101; the distance 1 is the code 0.
    for _ in 0..<repetitions { add(0b0_0000_1010_0011, 13) }
    // The end is 0000000.
    add(0, 7)
    add(0, 7)
    // The first sum is 1 for ever, the second one counts.
    return stream + number(count % 65_521 << 16 | 1)
  }

  private static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    return number(content.count) + body + number(Int(crc(body)))
  }

  /// A zlib stream of blocks that are not compressed (RFC 1950, RFC 1951, 3.2.4).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    while start < bytes.count {
      let count = min(65_535, bytes.count - start)
      let isLast: UInt8 = start + count == bytes.count ? 1 : 0
      let low = UInt8(count & 0xFF)
      let high = UInt8(count >> 8)
      stream += [isLast, low, high, ~low, ~high] + bytes[start..<(start + count)]
      start += count
    }
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return stream + number(Int(b << 16 | a))
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
