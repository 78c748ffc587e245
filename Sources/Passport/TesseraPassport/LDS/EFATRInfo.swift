import TesseraSmartCard

/// EF.ATR/INFO: the APDU lengths that the card supports (Doc 9303-10, 3.11.2; ISO/IEC 7816-4, 12.7.1). Advisory;
/// malformed parts are ignored.
public struct EFATRInfo: Sendable, Equatable {
  /// Whether the card supports extended length fields; nil if the file does not state it.
  public let extendedLength: Bool?
  /// Bytes of the longest command APDU.
  public let longestCommand: Int?
  /// Bytes of the longest response APDU.
  public let longestResponse: Int?

  public init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    // Some cards put a category indicator before the data objects, as in the historical bytes.
    if let first = rest.first, first == 0x00 || first == 0x80 { rest = rest.dropFirst() }
    var capabilities: Bool?
    var lengths: [Int] = []
    while !rest.isEmpty, let object = try? BERTLV.take(from: &rest) {
      switch object.tag {
      // Card capabilities; the third byte is the third software function table (ISO/IEC 7816-4, 12.1.1.9).
      case 0x47: if object.value.count >= 3 { capabilities = object.value.dropFirst(2).first.map { $0 & 0x40 != 0 } }
      // Extended length information: two integers, commands and responses.
      case 0x7F66: lengths = ((try? BERTLV.sequence(object.value[...])) ?? []).map(Self.number)
      default: break
      }
    }
    longestCommand = lengths.first.flatMap { $0 > 0 ? $0 : nil }
    longestResponse = lengths.count > 1 && lengths[1] > 0 ? lengths[1] : nil
    extendedLength = longestResponse.map { $0 > 256 } ?? capabilities
  }

  /// The value of an INTEGER; 0 if it exceeds every possible length.
  private static func number(_ object: BERTLV) -> Int {
    let digits = object.value.drop { $0 == 0 }
    return object.tag == 0x02 && digits.count <= 3 ? digits.reduce(0) { $0 << 8 | Int($1) } : 0
  }
}
