import FoundationEssentials
import Tessera

/// The time of `--at`: an ISO 8601 time with its time zone, or a date, which means the end of that day in UTC.
struct VerificationTime {
  let date: Date

  init?(_ text: String) {
    // The parser accepts days and times that do not exist.
    let (start, style) = (String(text.prefix(10)), Date.ISO8601FormatStyle().year().month().day())
    guard let day = try? Date(start, strategy: style), day.formatted(style) == start else { return nil }
    if text == start {
      date = day.addingTimeInterval(86_399)
      return
    }
    guard text.utf8.count <= 32, Self.isTime(text.dropFirst(11).prefix(8)) else { return nil }
    let styles = [false, true].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
    guard let date = styles.lazy.compactMap({ try? Date(text, strategy: $0) }).first else { return nil }
    self.date = date
  }

  /// Whether the text is a time of day, `HH:MM:SS`.
  private static func isTime(_ text: Substring) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { UInt8($0) ?? .max }
    return parts.count == 3 && parts[0] < 24 && parts[1] < 60 && parts[2] < 60
  }
}

/// The challenge of Active Authentication on the command line: 8 bytes in hexadecimal.
struct Challenge {
  let bytes: [UInt8]

  /// nil without a text, and for any other form.
  init?(_ text: String?) {
    guard let bytes = text.flatMap([UInt8].init(hexadecimal:)), bytes.count == 8 else { return nil }
    self.bytes = bytes
  }
}
