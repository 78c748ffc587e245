/// A BER-TLV data object (ISO/IEC 7816-4, 5.2.2): a tag of up to three bytes, a definite length, a value.
package struct BERTLV: Sendable, Equatable {
  /// The tag's bytes as a number: `5F1F` is `0x5F1F`.
  package let tag: UInt32
  /// A slice of the bytes that were parsed.
  package let value: ArraySlice<UInt8>

  package init(tag: UInt32, value: ArraySlice<UInt8>) {
    self.tag = tag
    self.value = value
  }

  /// The tag and the length of a data object.
  package struct Header: Sendable, Equatable {
    package let tag: UInt32
    package let length: Int
    /// The size of tag and length, in bytes.
    package let size: Int
    /// The size of the whole data object, in bytes.
    package var totalLength: Int { size + length }
  }

  /// Reads tag and length at the start of `bytes`, which need not contain the whole value.
  ///
  /// - Throws: `TLVError` if the header is truncated or malformed.
  package static func header(of bytes: ArraySlice<UInt8>) throws(TLVError) -> Header {
    var position = bytes.startIndex
    func next() throws(TLVError) -> UInt8 {
      guard position < bytes.endIndex else { throw .truncated }
      defer { position += 1 }
      return bytes[position]
    }
    var tag = UInt32(try next())
    if tag & 0x1F == 0x1F {
      repeat {
        guard tag <= 0xFFFF else { throw .malformedTag }
        tag = tag << 8 | UInt32(try next())
      } while tag & 0x80 != 0
    }
    let first = try next()
    var length = Int(first)
    if first >= 0x80 {
      // 80 is the indefinite form, which ISO 7816-4 does not allow.
      let count = Int(first & 0x7F)
      guard (1...4).contains(count) else { throw .malformedLength }
      length = 0
      for _ in 0..<count { length = length << 8 | Int(try next()) }
    }
    return Header(tag: tag, length: length, size: position - bytes.startIndex)
  }

  /// Removes one data object from the front of `bytes` and returns it.
  package static func take(from bytes: inout ArraySlice<UInt8>) throws(TLVError) -> BERTLV {
    let header = try header(of: bytes)
    guard header.length <= bytes.count - header.size else { throw .truncated }
    let start = bytes.startIndex + header.size
    let end = start + header.length
    let value = bytes[start..<end]
    bytes = bytes[end...]
    return BERTLV(tag: header.tag, value: value)
  }

  /// All data objects of `bytes`, one after another. Filler bytes 00 and FF between them are skipped (ISO/IEC
  /// 7816-4, 5.2.2.1).
  package static func sequence(_ bytes: ArraySlice<UInt8>) throws(TLVError) -> [BERTLV] {
    var rest = bytes
    var objects: [BERTLV] = []
    while let first = rest.first {
      if first == 0x00 || first == 0xFF {
        rest.removeFirst()
      } else {
        objects.append(try take(from: &rest))
      }
    }
    return objects
  }

  /// The value of the data object at the start of `bytes`, which must have the tag `tag`. Bytes after it are ignored,
  /// since some files are padded.
  package static func value(of tag: UInt32, in bytes: ArraySlice<UInt8>) throws(TLVError) -> ArraySlice<UInt8> {
    var rest = bytes
    let object = try take(from: &rest)
    guard object.tag == tag else { throw .unexpectedTag(expected: tag, found: object.tag) }
    return object.value
  }

  /// The complete encoding of the data object at the start of `bytes`. Bytes after it are left out.
  package static func object(in bytes: ArraySlice<UInt8>) throws(TLVError) -> ArraySlice<UInt8> {
    let header = try header(of: bytes)
    guard header.totalLength <= bytes.count else { throw .truncated }
    return bytes.prefix(header.totalLength)
  }

  /// The encoding of a data object with the shortest length field.
  @inlinable
  package static func encode(_ tag: UInt32, _ value: some Collection<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(value.count + 8)
    appendHeader(tag, length: value.count, to: &bytes)
    bytes += value
    return bytes
  }

  /// Appends tag and length of a data object.
  package static func appendHeader(_ tag: UInt32, length: Int, to bytes: inout [UInt8]) {
    if tag > 0xFFFF { bytes.append(UInt8(truncatingIfNeeded: tag >> 16)) }
    if tag > 0xFF { bytes.append(UInt8(truncatingIfNeeded: tag >> 8)) }
    bytes.append(UInt8(tag & 0xFF))
    switch length {
    case ..<0x80: bytes.append(UInt8(length))
    case ..<0x100: bytes += [0x81, UInt8(length)]
    case ..<0x10000: bytes += [0x82, UInt8(length >> 8), UInt8(length & 0xFF)]
    case ..<0x100_0000:
      bytes.append(0x83)
      for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
    default:
      bytes.append(0x84)
      for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
    }
  }
}

/// An error in BER-TLV data.
package enum TLVError: Error, Sendable, Equatable {
  case truncated
  case malformedTag
  case malformedLength
  case unexpectedTag(expected: UInt32, found: UInt32)
}
