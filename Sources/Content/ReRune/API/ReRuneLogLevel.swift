internal import Logging

/// What is written to the log of the program (swift-log, with the label `rerune`). No level contains a text or more than
/// the first four characters of the publish id.
public enum ReRuneLogLevel: Sendable, CaseIterable {
  case none, error, warning, info, debug, verbose

  /// A logger with this level.
  func logger() -> Logger {
    let level: Logger.Level? =
      switch self {
      case .none: nil
      case .error: .error
      case .warning: .warning
      case .info: .info
      case .debug: .debug
      case .verbose: .trace
      }
    guard let level else { return Logger(label: "rerune") { _ in SwiftLogNoOpLogHandler() } }
    var logger = Logger(label: "rerune")
    logger.logLevel = level
    return logger
  }
}
