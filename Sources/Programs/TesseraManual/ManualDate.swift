import Glibc

/// The day that the pages state, in UTC, so that two builds have the same pages.
struct ManualDate: Sendable {
  /// In the form of mdoc: `November 27, 2026`.
  let text: String

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// - Parameter seconds: since 1970.
  /// - Throws: `ManualError.noDate` for a number that is no date.
  init(seconds: Int) throws(ManualError) {
    var time = time_t(seconds)
    var parts = tm()
    guard seconds >= 0, gmtime_r(&time, &parts) != nil, Self.months.indices.contains(Int(parts.tm_mon)) else {
      throw .noDate
    }
    text = "\(Self.months[Int(parts.tm_mon)]) \(parts.tm_mday), \(Int(parts.tm_year) + 1900)"
  }
}
