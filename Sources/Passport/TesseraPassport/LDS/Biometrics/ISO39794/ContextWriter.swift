import TesseraSmartCard

/// Writes the fields of a DER SEQUENCE with implicit context tags. Omits nil values.
struct ContextWriter {
  private(set) var bytes: [UInt8] = []

  /// The content of a SEQUENCE.
  static func content(_ block: some ISO39794Block) -> [UInt8] {
    var writer = ContextWriter()
    block.write(&writer)
    return writer.bytes
  }

  mutating func bytes(_ number: UInt32, _ value: [UInt8]?) {
    if let value { bytes += BERTLV.encode(0x80 | number, value) }
  }

  mutating func integer(_ number: UInt32, _ value: Int?) { bytes(number, value.map(Self.integer)) }

  mutating func boolean(_ number: UInt32, _ value: Bool?) { bytes(number, value.map { [$0 ? 0xFF : 0x00] }) }

  mutating func code(_ number: UInt32, _ code: ExtensibleCode?) {
    guard let code else { return }
    let value = Self.integer(code.number)
    switch code.form {
    case .bare: bytes(number, value)
    case .code: constructed(number, BERTLV.encode(0x80, value))
    case .fallback: constructed(number, BERTLV.encode(0xA1, BERTLV.encode(0x80, value)))
    }
  }

  mutating func constructed(_ number: UInt32, _ content: [UInt8]?) {
    if let content { bytes += BERTLV.encode(0xA0 | number, content) }
  }

  mutating func block(_ number: UInt32, _ block: (some ISO39794Block)?) {
    constructed(number, block.map { Self.content($0) })
  }

  /// A SEQUENCE OF blocks.
  mutating func blocks(_ number: UInt32, _ blocks: [some ISO39794Block]?) {
    constructed(number, blocks.map { $0.flatMap { BERTLV.encode(0x30, Self.content($0)) } })
  }

  /// The shortest two's complement.
  static func integer(_ value: Int) -> [UInt8] {
    var bytes = [UInt8].bigEndian(value, 8)
    while bytes.count > 1, bytes[0] == (bytes[1] < 0x80 ? 0x00 : 0xFF) { bytes.removeFirst() }
    return bytes
  }
}
