import Foundation
public import Logging

/// Logs to standard error, one line an entry, with the priority that the journal understands in front (sd-daemon(3)) unless
/// a person is reading.
public struct JournalLogHandler: LogHandler {
  public var metadata: Logger.Metadata = [:]
  public var metadataProvider: Logger.MetadataProvider?
  public var logLevel = Logger.Level.info
  private let hasPriority = isatty(STDERR_FILENO) == 0

  public init() {}

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    let facts = all.map { " \($0.key)=\($0.value)" }.joined()
    let priority = hasPriority ? "<\(Self.priority(event.level))>" : ""
    let line = "\(priority)\(event.message)\(facts)".replacing("\n", with: " ") + "\n"
    // Where standard error cannot be written to, there is nobody to tell.
    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
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
