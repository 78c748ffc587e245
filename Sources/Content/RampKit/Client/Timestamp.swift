internal import FoundationEssentials

/// Points in time as ISO 8601 with milliseconds, in UTC.
enum Timestamp {
  private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  static func text(_ date: Date) -> String { date.formatted(style) }
  static func date(_ text: String) -> Date? { try? style.parse(text) }
}
