/// The times of a session (Passage.md, rules 2 to 15).
enum SessionTiming {
  static let userAgentDelay = Duration.milliseconds(100)
  static let userAgentLimit = Duration.seconds(2)
  static let startPage = Duration.seconds(30)
  /// The original stops the page then and reports success.
  static let navigation = Duration.seconds(15)
  static let readyCheck = Duration.milliseconds(500)
  /// The number of checks of each kind before a script runs.
  static let readyChecks = 10
  static let pageData = Duration.seconds(5)
  static let repeatScript = Duration.seconds(1)
  static let recording = Duration.milliseconds(300)
  static let redirect = Duration.milliseconds(500)
  static let backRecheck = Duration.milliseconds(300)
  /// The original sends a result once.
  static let retry = Duration.seconds(1)
  static let modalExit = Duration.seconds(1)
}
