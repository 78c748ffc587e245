import TesseraSmartCard

/// The DER encodings that a card's files need.
enum DERBytes {
  static func sequence(_ parts: [UInt8]...) -> [UInt8] { BERTLV.encode(0x30, parts.flatMap { $0 }) }

  /// Elements in ascending order of their encodings (X.690, 11.6).
  static func set(_ elements: [[UInt8]]) -> [UInt8] {
    BERTLV.encode(0x31, elements.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 })
  }

  /// - Parameter value: The bytes after tag and length.
  static func objectIdentifier(_ value: [UInt8]) -> [UInt8] { BERTLV.encode(0x06, value) }

  /// A non-negative number, big-endian.
  static func integer(_ number: [UInt8]) -> [UInt8] {
    let digits = number.drop { $0 == 0 }
    let needsZero = digits.first.map { $0 >= 0x80 } ?? true
    return BERTLV.encode(0x02, (needsZero ? [0] : []) + digits)
  }

  static func integer(_ number: Int) -> [UInt8] {
    integer((0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
  }

  static func bitString(_ bytes: [UInt8]) -> [UInt8] { BERTLV.encode(0x03, [0] + bytes) }

  /// The length octets of a value, as few as possible.
  static func length(_ count: Int) -> [UInt8] {
    guard count >= 0x80 else { return [UInt8(truncatingIfNeeded: count)] }
    let octets = (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }.drop { $0 == 0 }
    return [0x80 | UInt8(octets.count)] + octets
  }
}
