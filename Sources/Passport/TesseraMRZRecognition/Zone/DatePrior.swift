/// How probable six characters are as a date, in nats.
enum DatePrior {
  /// A month or day that is not known: fillers (Doc 9303-3, 4.8), or zeros as some issuers print; or nines for a date of
  /// expiry that does not come.
  private static let unknown: Float = -2
  /// There is no such date: a zone with it is never given (`RecognizedZone`), and as a rival it says that the picture is not clear.
  private static let impossible: Float = -8

  /// Whether there is such a date, or a part of it is not known.
  static func isPossible(_ characters: ArraySlice<Int>) -> Bool { value(characters) > impossible }

  static func value(_ characters: ArraySlice<Int>) -> Float {
    let date = Array(characters)
    guard date.count == 6 else { return impossible }
    if date.allSatisfy({ $0 == 9 }) { return unknown }
    let (month, day) = (cost(date[2], date[3], upTo: 12), cost(date[4], date[5], upTo: 31))
    let year: Float = date[0] == ZoneCharacter.filler || date[1] == ZoneCharacter.filler ? unknown : 0
    return min(month, day, year)
  }

  private static func cost(_ tens: Int, _ ones: Int, upTo last: Int) -> Float {
    if tens == ZoneCharacter.filler || ones == ZoneCharacter.filler { return unknown }
    let value = tens * 10 + ones
    return value == 0 ? unknown : value <= last ? 0 : impossible
  }
}
