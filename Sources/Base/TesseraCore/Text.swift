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

  /// The text without white space and newlines at its ends.
  package var trimmed: String { trimmed(\.properties.isWhitespace) }

  /// The text without the code points at its ends for which `isTrimmed` returns true.
  package func trimmed(_ isTrimmed: (Unicode.Scalar) -> Bool) -> String {
    var scalars = Substring(self).unicodeScalars.drop(while: isTrimmed)
    while let last = scalars.last, isTrimmed(last) { scalars.removeLast() }
    return String(scalars)
  }

  /// The text for the content of an element of HTML or of a markup like it; with `quotes` for quoted attributes, too.
  package func escapedMarkup(quotes: Bool = true) -> String {
    let escaped = replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    return quotes ? escaped.replacing("\"", with: "&quot;").replacing("'", with: "&#39;") : escaped
  }

  /// The text with `%XX` decoded (RFC 3986, 2.1); nil if it is malformed or the bytes are not UTF-8.
  package var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    func digit() -> UInt8? { rest.popFirst()?.hexadecimalValue }
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = digit(), let low = digit() else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension UInt16 {
  /// A unit of UTF-16 as strings of JSON and JavaScript have it: `\u` and four digits in lower case.
  package var unicodeEscape: String { "\\u" + hexadecimal.lowercased() }
}

/// Makes text from an untrusted source (a chip, a token, a web page) safe to display.
package enum PrintableText {
  /// The text with a space in place of each control character, line separator and format character: a terminal
  /// interprets the first, and the last can change the writing direction of the text that follows.
  package static func of(_ text: String) -> String {
    String(
      text.unicodeScalars.map { scalar in
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
          ? " " : Character(scalar)
      })
  }
}
