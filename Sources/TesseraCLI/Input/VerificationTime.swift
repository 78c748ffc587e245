import FoundationEssentials

/// The time of `--at`: an ISO 8601 time with its time zone, or a date, which means the end of that day in UTC.
struct VerificationTime {
  let date: Date

  init?(_ text: String) {
    let day = Date.ISO8601FormatStyle().year().month().day()
    if text.utf8.count == 10 {
      // The parser accepts days that do not exist.
      guard let date = try? Date(text, strategy: day), date.formatted(day) == text else { return nil }
      self.date = date.addingTimeInterval(86_399)
      return
    }
    guard text.utf8.count <= 32 else { return nil }
    let styles = [false, true].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
    guard let date = styles.lazy.compactMap({ try? Date(text, strategy: $0) }).first else { return nil }
    self.date = date
  }
}
