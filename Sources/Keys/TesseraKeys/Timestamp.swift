import FoundationEssentials
import Glibc

/// A time to the second in RFC 3339 form: `2026-11-21T16:36:51Z`. Foundation's formatters load the tables of all
/// calendars first, which takes longer than a signature.
package struct Timestamp: Sendable, Equatable {
  package let date: Date

  package init(_ date: Date) { self.date = date }

  /// Parses exactly the form that `text` has; nil for any other.
  package init?(_ text: String) {
    let fields = text.split(whereSeparator: { "-T:Z".contains($0) }).map(String.init)
    let numbers = fields.compactMap(Int32.init)
    guard numbers.count == 6, numbers[0] >= 1970, (1...12).contains(numbers[1]) else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
    date = Date(timeIntervalSince1970: Double(timegm(&parts)))
    // Rejects other forms and days that do not exist.
    guard self.text == text else { return nil }
  }

  package var text: String {
    var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }
}
