// Swift's own searches compare characters, so `"<\u{301}"` does not contain `"<"` for them, and need the implementation of
// regular expressions. These have the same names, and the compiler prefers them in files that import this module.

extension StringProtocol {
  /// The first place at which a text begins and ends, compared byte for byte in UTF-8; an empty text is at the start.
  package func firstRange(of text: String) -> Range<Index>? {
    text.isEmpty ? startIndex..<startIndex : ranges(of: text, limit: 1).first
  }

  package func contains(_ text: String) -> Bool { firstRange(of: text) != nil }

  /// Every occurrence of a text replaced, from the left; an empty text occurs nowhere.
  package func replacing(_ text: String, with replacement: String) -> String {
    // An array of the places would need much more memory than the text.
    let (bytes, wanted) = (Array(utf8), Array(text.utf8))
    var (result, offset): ([UInt8], Int) = ([], 0)
    while offset < bytes.count {
      let isFound = bytes[offset] == wanted.first && bytes[offset...].starts(with: wanted)
      if isFound { result += replacement.utf8 } else { result.append(bytes[offset]) }
      offset += isFound ? wanted.count : 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The parts between the occurrences of a text; an empty text occurs nowhere.
  package func split(
    separator: String, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [SubSequence] {
    var parts: [SubSequence] = []
    var start = startIndex
    for found in ranges(of: separator, limit: .max) where parts.count < maxSplits {
      if start < found.lowerBound || !omittingEmptySubsequences { parts.append(self[start..<found.lowerBound]) }
      start = found.upperBound
    }
    return start < endIndex || !omittingEmptySubsequences ? parts + [self[start...]] : parts
  }

  /// The places of a text, from the left and without overlaps; none for an empty text.
  private func ranges(of text: String, limit: Int) -> [Range<Index>] {
    // In a text of an unknown type, each octet would be a call.
    let (bytes, wanted) = (Array(utf8), Array(text.utf8))
    var (found, offset): ([Range<Index>], Int) = ([], 0)
    while found.count < limit, !wanted.isEmpty, offset + wanted.count <= bytes.count {
      guard bytes[offset] == wanted[0], bytes[offset...].starts(with: wanted) else {
        offset += 1
        continue
      }
      let start = utf8.index(startIndex, offsetBy: offset)
      found.append(start..<utf8.index(start, offsetBy: wanted.count))
      offset += wanted.count
    }
    return found
  }
}
