/// A text that is compared by its UTF-8. `String` compares by canonical equivalence, which takes quadratic time for
/// long runs of combining marks; text from content must not cause that.
package struct UTF8Text: Sendable, Hashable, Comparable {
  package let string: String

  package init(_ string: String) { self.string = string }

  package static func == (left: UTF8Text, right: UTF8Text) -> Bool {
    left.string.utf8.count == right.string.utf8.count && left.string.utf8.elementsEqual(right.string.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Compares by bytes, which is also the order of the code points.
  package static func < (left: UTF8Text, right: UTF8Text) -> Bool {
    left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
  }
}

extension String {
  /// Whether the texts have equal UTF-8.
  package func hasBytes(of other: String) -> Bool { UTF8Text(self) == UTF8Text(other) }
}
