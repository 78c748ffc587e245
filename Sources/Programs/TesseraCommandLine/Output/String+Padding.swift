extension String {
  /// The text, filled with spaces up to the width in characters.
  package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Substring {
  /// The text without leading and trailing spaces.
  package var trimmingSpaces: Substring {
    let start = drop { $0 == " " }
    return start.prefix(start.count - start.reversed().prefix { $0 == " " }.count)
  }
}
