import TesseraPassport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Dates as the page writes them.
enum PageDate {
  /// `YYYY-MM-DDThh:mm:ssZ` (ISO 8601, UTC).
  static func time(_ date: Date) -> String { date.formatted(.iso8601) }

  /// `YYYY-MM-DD`, in UTC.
  static func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }

  /// `YYYY-MM-DD` with the century; the unchanged text if a part is unknown.
  static func zone(_ text: String, _ meaning: MRZDate.Meaning, asOf date: Date) -> String {
    MRZDate(text, meaning, today: date)?.description ?? text
  }
}
