import Glibc
package import Logging
import TesseraCore

/// Logs to standard error, one line per entry. If standard error is not a terminal, the line has a priority prefix
/// for the journal (sd-daemon(3)).
package struct JournalLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?
  package var logLevel = Logger.Level.info
  private let hasPriority = isatty(STDERR_FILENO) == 0

  package init() {}

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    let facts = all.map { " \($0.key)=\($0.value)" }.joined()
    let priority = hasPriority ? "<\(Self.priority(event.level))>" : ""
    // Some of it is from a page, a client or a server.
    let text = String("\(event.message)\(facts)".prefix(Self.longestEntry))
    Self.write("\(priority)\(PrintableText.of(text))\n")
  }

  /// In characters.
  private static let longestEntry = 4096

  private static func write(_ line: String) {
    var rest = Array(line.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // An error cannot be reported if standard error cannot be written to.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func priority(_ level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}
