extension StringProtocol {
  /// The text without white space and newlines at its ends.
  package var trimmed: String { trimmed(\.properties.isWhitespace) }

  /// The text without the code points at its ends for which `isTrimmed` returns true.
  package func trimmed(_ isTrimmed: (Unicode.Scalar) -> Bool) -> String {
    var scalars = Substring(self).unicodeScalars.drop(while: isTrimmed)
    while let last = scalars.last, isTrimmed(last) { scalars.removeLast() }
    return String(scalars)
  }
}
