import TesseraCryptography

extension DERValue {
  /// The values inside.
  ///
  /// - Throws: `CryptographyError.malformed` naming `what` if there are more than `limit`, or one is malformed.
  func parts(limit: Int, _ what: String) throws -> [DERValue] {
    var rest = elements
    var parts: [DERValue] = []
    while !rest.isEmpty {
      guard parts.count < limit else { throw CryptographyError.malformed(what) }
      parts.append(try rest.next(what))
    }
    return parts
  }

  /// The content octets of a value with a context-specific tag, without the universal tag inside an explicit one.
  /// Doc 9303 and published lists do not agree on which of the two kinds of tags is meant.
  func untagged(_ universal: UInt8) -> ArraySlice<UInt8> {
    guard tag & 0x20 != 0, let inner = try? DERValue(content, ""), inner.tag == universal,
      inner.encoded.count == content.count
    else { return content }
    return inner.content
  }
}
