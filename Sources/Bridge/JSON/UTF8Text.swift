/// Text that is compared by its UTF-8. `String` compares what its characters look like: two normal forms of one letter are
/// the same to it, and a long run of combining marks costs it the square of its length. What content sends is compared
/// this way instead.
public struct UTF8Text: Sendable, Hashable, Comparable {
  public let string: String

  public init(_ string: String) { self.string = string }

  public static func == (left: UTF8Text, right: UTF8Text) -> Bool {
    left.string.utf8.count == right.string.utf8.count && left.string.utf8.elementsEqual(right.string.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// By bytes, which is the order of the code points, too.
  public static func < (left: UTF8Text, right: UTF8Text) -> Bool {
    left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
  }
}

extension String {
  /// Whether it is this text and no other that looks the same.
  public func hasBytes(of other: String) -> Bool { UTF8Text(self) == UTF8Text(other) }

  /// Whether it could be a word of the protocol: a short one of ASCII, which is quick to compare.
  var isWord: Bool { utf8.count <= 64 && utf8.allSatisfy { $0 < 0x80 } }
}

extension RawRepresentable where RawValue == String {
  /// The case of a word that content chose.
  init?(word: String) {
    guard word.isWord else { return nil }
    self.init(rawValue: word)
  }
}
