/// A zlib stream (RFC 1950) of one block with the fixed codes of RFC 1951, 3.2.6. It is for a kilobyte: each repetition
/// is looked for from the beginning.
struct ZlibWriter {
  private var stream: [UInt8] = []
  private var bits = 0
  private var count = 0

  /// The lengths of repetitions whose codes have no extra bits.
  private static let lengths = 3...10
  /// The window that the first byte of the stream promises.
  private static let window = 32_768

  static func stream(_ bytes: [UInt8]) -> [UInt8] {
    var writer = ZlibWriter()
    // Deflate with a window of 32 kB; no dictionary, and both bytes are a multiple of 31.
    writer.stream = [0x78, 0x9C]
    // The last block, with the fixed codes.
    writer.append(0b011, 3)
    writer.append(contentsOf: bytes)
    writer.appendCode(256)
    // Up to the next byte.
    writer.append(0, (8 - writer.count) % 8)
    return writer.stream + checksum(bytes)
  }

  private mutating func append(contentsOf bytes: [UInt8]) {
    var position = 0
    while position < bytes.count {
      guard let match = Self.repetition(at: position, of: bytes) else {
        appendCode(Int(bytes[position]))
        position += 1
        continue
      }
      appendCode(254 + match.length)
      appendDistance(match.distance)
      position += match.length
    }
  }

  /// The longest earlier occurrence of what stands at a position; nil if it is shorter than a repetition.
  private static func repetition(at position: Int, of bytes: [UInt8]) -> (length: Int, distance: Int)? {
    var best: (length: Int, distance: Int)?
    for start in max(0, position - window)..<position {
      let most = min(lengths.upperBound, bytes.count - position)
      let length = (0..<most).prefix { bytes[start + $0] == bytes[position + $0] }.count
      if length >= lengths.lowerBound, length >= (best?.length ?? 0) { best = (length, position - start) }
    }
    return best
  }

  /// The lowest bit first.
  private mutating func append(_ value: Int, _ length: Int) {
    bits |= value << count
    count += length
    while count >= 8 {
      stream.append(UInt8(truncatingIfNeeded: bits))
      bits >>= 8
      count -= 8
    }
  }

  /// A Huffman code, the highest bit first.
  private mutating func appendReversed(_ code: Int, _ length: Int) {
    for bit in (0..<length).reversed() { append(code >> bit & 1, 1) }
  }

  /// A byte, the end of the block, or the length of a repetition.
  private mutating func appendCode(_ symbol: Int) {
    switch symbol {
    case ..<144: appendReversed(0x30 + symbol, 8)
    case ..<256: appendReversed(0x190 + symbol - 144, 9)
    case ..<280: appendReversed(symbol - 256, 7)
    default: appendReversed(0xC0 + symbol - 280, 8)
    }
  }

  private mutating func appendDistance(_ distance: Int) {
    let number = distance - 1
    guard number >= 4 else { return appendReversed(number, 5) }
    // Two codes for each power of two; the rest are extra bits.
    let exponent = Int.bitWidth - 1 - number.leadingZeroBitCount
    let extra = exponent - 1
    appendReversed(2 * exponent + (number >> extra & 1), 5)
    append(number & (1 << extra - 1), extra)
  }

  /// Adler-32, big-endian.
  private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
    let (low, high) = bytes.reduce((1, 0)) { sums, byte in
      let low = (sums.0 + Int(byte)) % 65_521
      return (low, (sums.1 + low) % 65_521)
    }
    return [high >> 8, high, low >> 8, low].map { UInt8(truncatingIfNeeded: $0) }
  }
}
