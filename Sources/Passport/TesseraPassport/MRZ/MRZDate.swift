#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A date of the machine readable zone with its century. The zone states two digits of the year (Doc 9303-3, 4.8): a
/// birth date is in the past, an expiry date is within fifty years of today, but never before 2000, since no chip is older
/// than 2004.
public struct MRZDate: Sendable, Equatable {
  public enum Meaning: Sendable {
    case birth
    case expiry
  }

  public let year: Int
  public let month: Int
  public let day: Int

  /// nil if a part is unknown or the date does not exist.
  ///
  /// - Parameters:
  ///   - text: `YYMMDD`.
  ///   - meaning: determines the century.
  ///   - today: the reference for "in the past" and "within fifty years".
  public init?(_ text: String, _ meaning: Meaning, today: Date) {
    // `Int` reads a sign, too.
    guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let parts = stride(from: 0, to: 6, by: 2).compactMap { Int(text.dropFirst($0).prefix(2)) }
    guard parts.count == 3 else { return nil }
    let thisYear = Self.calendar.component(.year, from: today)
    var year = thisYear - thisYear % 100 + parts[0]
    switch meaning {
    case .birth:
      let now = Self.calendar.dateComponents([.month, .day], from: today)
      if (year, parts[1], parts[2]) > (thisYear, now.month ?? 12, now.day ?? 31) { year -= 100 }
    case .expiry:
      if year > thisYear + 50, year - 100 >= Self.firstChips { year -= 100 }
      if year <= thisYear - 50 { year += 100 }
    }
    let components = DateComponents(year: year, month: parts[1], day: parts[2])
    guard let date = Self.calendar.date(from: components),
      Self.calendar.dateComponents([.year, .month, .day], from: date) == components
    else { return nil }
    (self.year, month, day) = (year, parts[1], parts[2])
  }

  /// Whether the day has ended (in UTC).
  public func isOver(at date: Date) -> Bool {
    let today = Self.calendar.dateComponents([.year, .month, .day], from: date)
    return (today.year ?? 0, today.month ?? 0, today.day ?? 0) > (year, month, day)
  }

  private static let firstChips = 2004

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}

extension MRZDate: CustomStringConvertible {
  /// `YYYY-MM-DD`.
  public var description: String {
    func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(twoDigits(month))-\(twoDigits(day))"
  }
}
