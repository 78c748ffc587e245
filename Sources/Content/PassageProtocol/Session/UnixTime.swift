/// A point in time, in milliseconds since the beginning of 1970 (UTC).
package struct UnixTime: Sendable, Hashable, Comparable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static func < (left: UnixTime, right: UnixTime) -> Bool { left.milliseconds < right.milliseconds }

  /// Whole seconds.
  package var seconds: Int64 { floorDivided(milliseconds, by: 1_000) }

  /// The years that a time of a machine can have. Others are written as the nearest one of them.
  private static let range: ClosedRange<Int64> = 0...253_402_300_799_999

  /// ISO 8601 in UTC, for example `2030-01-02T03:04:05Z`.
  package var text: String { Self.text(seconds, fraction: "") }

  /// ISO 8601 in UTC with milliseconds, for example `2030-01-02T03:04:05.678Z`.
  package var textWithMilliseconds: String {
    let clamped = Self.clamped(milliseconds)
    return Self.text(clamped / 1_000, fraction: "." + Self.digits(clamped % 1_000, 3))
  }

  /// Parses what `textWithMilliseconds` writes; nil for every other text.
  package init?(textWithMilliseconds text: String) {
    let parts = text.split { "-T:.Z".contains($0) }
    let numbers = parts.compactMap { Int64($0) }
    guard text.utf8.count == 24, numbers.count == 7, (1970...9_999).contains(numbers[0]),
      (1...12).contains(numbers[1]), numbers[2...].allSatisfy({ (0...999).contains($0) })
    else { return nil }
    let days = Self.days(numbers[0], numbers[1], numbers[2])
    let seconds = days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5]
    milliseconds = seconds * 1_000 + numbers[6]
    // Refuses days, hours and signs that do not exist.
    guard textWithMilliseconds == text else { return nil }
  }

  private static func clamped(_ milliseconds: Int64) -> Int64 {
    min(max(milliseconds, range.lowerBound), range.upperBound)
  }

  private static func text(_ seconds: Int64, fraction: String) -> String {
    let seconds = min(max(seconds, 0), range.upperBound / 1_000)
    let (year, month, day) = date(ofDay: seconds / 86_400)
    let second = seconds % 86_400
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T"
      + "\(digits(second / 3_600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))\(fraction)Z"
  }

  private static func digits(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  /// The date of a day since the beginning of 1970, by the rules of the Gregorian calendar: 146,097 days are 400 years,
  /// and a year that begins in March has its leap day at its end.
  private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  /// The inverse of `date(ofDay:)`. The numbers have four digits at most.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

private func floorDivided(_ number: Int64, by divisor: Int64) -> Int64 {
  let quotient = number / divisor
  return number % divisor < 0 ? quotient - 1 : quotient
}
