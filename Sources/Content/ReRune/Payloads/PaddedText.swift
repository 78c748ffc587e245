/// Valid UTF-8 in memory of its own, with eight zero bytes after it.
///
/// The parsers read eight bytes at once. With the padding they need no check of the end: their grammars accept no zero
/// byte, so each of their loops stops there.
///
/// `@unchecked Sendable`: the memory never changes after the creation.
final class PaddedText: @unchecked Sendable {
  static let padding = 8

  let start: UnsafeMutablePointer<UInt8>
  let count: Int

  /// - Parameter fill: Writes at most `capacity` bytes of valid UTF-8 and returns their number; nil if there is none.
  init?(capacity: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int?) {
    start = .allocate(capacity: capacity + Self.padding)
    guard let count = fill(start), count <= capacity else {
      start.deallocate()
      return nil
    }
    self.count = count
    (start + count).initialize(repeating: 0, count: Self.padding)
  }

  /// - Returns: nil if the bytes are not UTF-8.
  convenience init?(_ bytes: some Collection<UInt8>) {
    let count = bytes.count
    self.init(capacity: count) { start in
      let target = UnsafeMutableBufferPointer(start: start, count: count)
      guard target.initialize(fromContentsOf: bytes) == count else { return nil }
      return Self.isUTF8(target) ? count : nil
    }
  }

  private static func isUTF8(_ bytes: UnsafeMutableBufferPointer<UInt8>) -> Bool {
    do {
      _ = try UTF8Span(validating: bytes.span)
      return true
    } catch {
      return false
    }
  }

  deinit { start.deallocate() }

  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
  var string: String { String(decoding: bytes, as: UTF8.self) }
}

extension PaddedText: Equatable {
  static func == (left: PaddedText, right: PaddedText) -> Bool { KeyHash.isEqual(left.bytes, right.bytes) }
}
