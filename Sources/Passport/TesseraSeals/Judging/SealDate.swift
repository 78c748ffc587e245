#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A day of the Gregorian calendar, without a time zone.
public struct SealDate: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The year, 1 to 9999.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day of the month, from 1.
  public let day: Int

  /// nil if the day does not exist.
  ///
  /// - Parameters:
  ///   - year: 1 to 9999.
  ///   - month: from 1.
  ///   - day: from 1.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[month - 1] else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Three bytes: the big-endian number with the decimal digits MMDDYYYY (Doc 9303-13, header). nil for any other number of
  /// bytes, and if the day does not exist.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 3 else { return nil }
    let number = bytes.reduce(0) { $0 << 8 | Int($1) }
    self.init(year: number % 10_000, month: number / 1_000_000, day: number / 10_000 % 100)
  }

  /// `YYYY-MM-DD`; nil for any other text.
  package init?(text: some StringProtocol) {
    let digits = Array(text.utf8)
    guard digits.count == 10, digits[4] == 0x2D, digits[7] == 0x2D else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      digits[range].reduce(0) { value, digit in
        guard let value, (0x30...0x39).contains(digit) else { return nil }
        return value * 10 + Int(digit - 0x30)
      }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// The first second of the day, in UTC.
  package var start: Date {
    // Days since 1970-01-01, with the year beginning in March.
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return Date(timeIntervalSince1970: Double(era * 146_097 + dayOfEra - 719_468) * 86_400)
  }

  /// Whether the day has ended, in UTC.
  package func isOver(at date: Date) -> Bool { date >= start.addingTimeInterval(86_400) }

  /// Whether the left day is the earlier one.
  public static func < (left: SealDate, right: SealDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  /// `YYYY-MM-DD`.
  public var description: String {
    func padded(_ number: Int, _ length: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, length - text.count)) + text
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }
}
