extension StringProtocol {
  /// The text without leading and trailing characters that match.
  func trimming(while matches: (Character) -> Bool) -> SubSequence {
    guard let start = firstIndex(where: { !matches($0) }), let end = lastIndex(where: { !matches($0) }) else {
      return self[endIndex...]
    }
    return self[start...end]
  }
}
