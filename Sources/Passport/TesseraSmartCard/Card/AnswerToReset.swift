/// The answer to reset (ISO/IEC 7816-3, 8), which identifies the kind of card. For a contactless card the reader
/// composes it (PC/SC part 3, 3.1.3.2.3).
public struct AnswerToReset: Sendable, Equatable {
  public let bytes: [UInt8]
  /// The historical bytes (ISO/IEC 7816-4, 8.1.1); empty if the answer is malformed.
  public let historicalBytes: [UInt8]

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    historicalBytes = Self.historicalBytes(of: bytes)
  }

  /// The answer that a contactless reader composes (PC/SC part 3, 3.1.3.2.3.1), with at most 15 historical bytes.
  package static func contactless(historicalBytes: [UInt8]) -> AnswerToReset {
    let historical = historicalBytes.prefix(15)
    let body = [0x80 | UInt8(historical.count), 0x80, 0x01] + historical
    return AnswerToReset([0x3B] + body + [body.reduce(0, ^)])
  }

  /// Whether a contactless reader composed this answer: `3B 8n 80 01 …`, whose interface bytes offer T=0 and T=1.
  public var isContactless: Bool {
    bytes.count >= 4 && bytes[0] == 0x3B && bytes[1] & 0xF0 == 0x80 && bytes[2] == 0x80 && bytes[3] == 0x01
  }

  /// Whether this is a storage card without ISO/IEC 14443-4, for example Mifare Classic or Ultralight: its
  /// historical bytes carry the PC/SC workgroup's RID (PC/SC part 3, 3.1.3.2.3.2).
  package var isStorageCard: Bool {
    let rid: [UInt8] = [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]
    return isContactless && historicalBytes.starts(with: rid)
  }

  /// Whether the card capabilities in the historical bytes announce extended `Lc` and `Le` (ISO/IEC 7816-4,
  /// 8.1.1.2.7, third software function table); nil if there are no card capabilities.
  package var extendedLength: Bool? { softwareFunctions.map { $0 & 0x40 != 0 } }

  package var announcesExtendedLength: Bool { extendedLength ?? false }

  /// Whether the card capabilities announce command chaining.
  package var announcesCommandChaining: Bool { softwareFunctions.map { $0 & 0x80 != 0 } ?? false }

  /// The third software function table.
  private var softwareFunctions: UInt8? {
    guard let category = historicalBytes.first, category == 0x80 || category == 0x00 else { return nil }
    // Category 00 has a mandatory three-byte status at the end, outside the COMPACT-TLV objects.
    var rest = historicalBytes.dropFirst().dropLast(category == 0x00 ? 3 : 0)
    while let head = rest.popFirst() {
      let length = Int(head & 0x0F)
      guard rest.count >= length else { return nil }
      let value = rest.prefix(length)
      rest = rest.dropFirst(length)
      if head >> 4 == 7, length == 3, let table = value.last { return table }
    }
    return nil
  }

  private static func historicalBytes(of bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 2 else { return [] }
    let count = Int(bytes[1] & 0x0F)
    var position = 2
    var interfaceByte = bytes[1]
    while true {
      position += (interfaceByte >> 4 & 0x07).nonzeroBitCount  // TA, TB, TC
      guard interfaceByte & 0x80 != 0 else { break }
      guard position < bytes.count else { return [] }
      interfaceByte = bytes[position]
      position += 1
    }
    guard position + count <= bytes.count else { return [] }
    return Array(bytes[position..<position + count])
  }
}
