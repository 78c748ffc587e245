package import FoundationEssentials

/// Points in time as ISO 8601 in UTC, without fractions of a second.
package enum Timestamp {
  private static let style = Date.ISO8601FormatStyle()

  package static func text(_ date: Date) -> String { date.formatted(style) }
  package static func date(_ text: String) -> Date? { try? style.parse(text) }
}
