import Logging
import TesseraThreads

/// What a logger was told, as `level: message key=value`, with the keys in alphabetical order.
package final class LogLines: Sendable {
  private let lines = Locked<[String]>([])
  private let hook = Locked<(@Sendable (String) -> Void)?>(nil)

  package init() {}

  package var all: [String] { lines.withLock { $0 } }

  package func count(_ text: String) -> Int { all.count { $0.contains(text) } }

  /// Calls `body` with each line on the thread that logs it, which is held as long.
  package func onLine(_ body: @escaping @Sendable (String) -> Void) { hook.withLock { $0 = body } }

  /// A logger of every level.
  package var logger: Logger {
    var logger = Logger(label: "test") { _ in Handler(lines: self) }
    logger.logLevel = .trace
    return logger
  }

  private func add(_ line: String) {
    lines.withLock { $0.append(line) }
    hook.withLock { $0 }?(line)
  }

  private struct Handler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(lines: LogLines) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
      lines.add("\(event.level): \(event.message)\(facts.joined())")
    }
  }
}
