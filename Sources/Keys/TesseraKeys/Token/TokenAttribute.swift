internal import CTesseraP11Kit

/// One attribute of a PKCS#11 object.
enum TokenAttribute {
  case flag(CK_ATTRIBUTE_TYPE, Bool)
  case number(CK_ATTRIBUTE_TYPE, CK_ULONG)
  case bytes(CK_ATTRIBUTE_TYPE, [UInt8])

  private var type: CK_ATTRIBUTE_TYPE {
    switch self {
    case .flag(let type, _), .number(let type, _), .bytes(let type, _): type
    }
  }

  var content: [UInt8] {
    switch self {
    case .flag(_, let value): [value ? 1 : 0]
    case .number(_, let value): withUnsafeBytes(of: value) { Array($0) }
    case .bytes(_, let bytes): bytes
    }
  }

  /// Calls `body` with the attributes as a C array, valid during the call.
  static func withTemplate<Result>(
    _ attributes: [TokenAttribute], _ body: (UnsafeMutablePointer<CK_ATTRIBUTE>?, CK_ULONG) throws -> Result
  ) rethrows -> Result {
    let contents = attributes.map(\.content)
    var offset = 0
    var offsets: [Int] = []
    for content in contents {
      offsets.append(offset)
      offset += (content.count + 15) / 16 * 16
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(offset, 16), alignment: 16)
    defer { memory.deallocate() }
    var template = zip(attributes, zip(contents, offsets)).map { attribute, value in
      let (content, offset) = value
      UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + content.count]).copyBytes(from: content)
      return CK_ATTRIBUTE(
        type: attribute.type, pValue: memory.baseAddress.map { $0 + offset }, ulValueLen: CK_ULONG(content.count))
    }
    return try template.withUnsafeMutableBufferPointer { try body($0.baseAddress, CK_ULONG($0.count)) }
  }
}
