/// A data element of BER (ITU-T X.690, 8.1) with a tag of one byte.
///
/// Some states publish lists of a megabyte in BER, with indefinite lengths, or certificates that break rules of DER.
/// What kind of object such bytes hold is decided by a few elements at their start, which this type reads without a
/// look at the others.
struct BERElement {
  /// Class, form and number.
  let tag: UInt8
  /// The content, without the end-of-contents octets of the indefinite form.
  let content: ArraySlice<UInt8>
  /// Header, content and end.
  let encoding: ArraySlice<UInt8>

  static let integer: UInt8 = 0x02
  static let objectIdentifier: UInt8 = 0x06
  static let utcTime: UInt8 = 0x17
  static let generalizedTime: UInt8 = 0x18
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31

  /// The tag `[number]` of a constructed element.
  static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }

  /// Removes one element from the front of `bytes`.
  ///
  /// - Returns: nil if the element is truncated or malformed; `bytes` is then unchanged.
  static func take(from bytes: inout ArraySlice<UInt8>) -> BERElement? {
    guard let header = Header(bytes) else { return nil }
    let start = header.end
    let end: Int
    let next: Int
    if let length = header.length {
      guard length <= bytes.endIndex - start else { return nil }
      (end, next) = (start + length, start + length)
    } else {
      guard let found = endOfContents(bytes[start...]) else { return nil }
      (end, next) = (found, found + 2)
    }
    defer { bytes = bytes[next...] }
    return BERElement(tag: header.tag, content: bytes[start..<end], encoding: bytes[bytes.startIndex..<next])
  }

  /// Removes one element from the front of `bytes` if it has this tag.
  static func take(_ tag: UInt8, from bytes: inout ArraySlice<UInt8>) -> BERElement? {
    guard bytes.first == tag else { return nil }
    return take(from: &bytes)
  }

  /// The elements one after another.
  ///
  /// - Parameter limit: the maximum number; an element takes dozens of times the memory of its two bytes.
  /// - Returns: nil if one is malformed, or if there are more than `limit`.
  static func all(in bytes: ArraySlice<UInt8>, limit: Int) -> [BERElement]? {
    var rest = bytes
    var elements: [BERElement] = []
    while !rest.isEmpty {
      guard elements.count < limit, let element = take(from: &rest) else { return nil }
      elements.append(element)
    }
    return elements
  }

  /// The offset of the two zeros that end an element of indefinite length, whose content starts `bytes`.
  private static func endOfContents(_ bytes: ArraySlice<UInt8>) -> Int? {
    var position = bytes.startIndex
    // How many elements of indefinite length are open around this position. Real ones nest 6 deep.
    var depth = 1
    while true {
      let rest = bytes[position...]
      if rest.starts(with: [0, 0]) {
        depth -= 1
        if depth == 0 { return position }
        position += 2
        continue
      }
      guard let header = Header(rest) else { return nil }
      position = header.end
      if let length = header.length {
        guard length <= bytes.endIndex - position else { return nil }
        position += length
      } else {
        depth += 1
        guard depth <= 64 else { return nil }
      }
    }
  }

  private struct Header {
    let tag: UInt8
    /// nil in the indefinite form.
    let length: Int?
    /// The offset of the content.
    let end: Int

    init?(_ bytes: ArraySlice<UInt8>) {
      var rest = bytes
      guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst() else { return nil }
      self.tag = tag
      switch first {
      case ..<0x80: length = Int(first)
      case 0x80:
        // Only constructed elements may have an indefinite length.
        guard tag & 0x20 != 0 else { return nil }
        length = nil
      default:
        let count = Int(first & 0x7F)
        guard count <= 4, count <= rest.count else { return nil }
        length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
      }
      end = rest.startIndex
    }
  }
}
