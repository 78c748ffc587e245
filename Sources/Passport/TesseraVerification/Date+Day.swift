#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Date {
  /// `YYYY-MM-DD` in UTC.
  package var day: String { String(ISO8601Format().prefix(10)) }
}
