/// JSON in files that people write. Some editors begin a file with a byte order mark, which a parser may ignore (RFC 8259,
/// 8.1). Messages of programs have none.
extension JSONValue {
  /// U+FEFF in UTF-8.
  static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The text without a byte order mark at its beginning.
  package static func withoutMark<Bytes: Collection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
    bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
  }

  /// Parses a file that a person has written, in UTF-8.
  ///
  /// - Throws: `JSONError`, as `init(text:)` does, also for other bytes than UTF-8.
  package init(handwritten bytes: some Collection<UInt8>) throws(JSONError) {
    guard let text = String(validating: Self.withoutMark(bytes), as: UTF8.self) else {
      throw JSONError(reason: .syntax, offset: 0)
    }
    try self.init(text: text)
  }
}
