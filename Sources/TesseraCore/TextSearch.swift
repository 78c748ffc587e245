// Swift's own searches for a text in a text compare characters, so `"<\u{301}"` does not contain `"<"` for them, and need the
// implementation of regular expressions. These have the same names, and the compiler prefers them in files that import
// this module.

extension StringProtocol {
  /// The first place at which a text begins and ends, compared byte for byte in UTF-8; an empty text is at the start.
  package func firstRange(of text: String) -> Range<Index>? {
    let pattern = text.utf8
    guard let first = pattern.first else { return startIndex..<startIndex }
    var rest = utf8[...]
    while let found = rest.firstIndex(of: first) {
      rest = rest[found...]
      if rest.starts(with: pattern) { return found..<rest.index(found, offsetBy: pattern.count) }
      rest = rest.dropFirst()
    }
    return nil
  }

  package func contains(_ text: String) -> Bool { firstRange(of: text) != nil }

  /// Every occurrence of a text replaced, from the left; an empty text occurs nowhere.
  package func replacing(_ text: String, with replacement: String) -> String {
    split(separator: text, omittingEmptySubsequences: false).joined(separator: replacement)
  }

  /// The parts between the occurrences of a text; an empty text occurs nowhere.
  package func split(
    separator: String, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [SubSequence] {
    var parts: [SubSequence] = []
    var rest = self[startIndex...]
    while parts.count < maxSplits, !separator.isEmpty, let found = rest.firstRange(of: separator) {
      let part = rest[..<found.lowerBound]
      rest = rest[found.upperBound...]
      if !part.isEmpty || !omittingEmptySubsequences { parts.append(part) }
    }
    if !rest.isEmpty || !omittingEmptySubsequences { parts.append(rest) }
    return parts
  }
}
