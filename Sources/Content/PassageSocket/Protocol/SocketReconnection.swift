/// When a client connects again after its connection was lost: up to five times in a row, after 2, 4, 8, 10 and 10
/// seconds, with no random part (the dossier, section 2.6).
package struct SocketReconnection: Sendable, Equatable {
  /// The number of attempts in a row.
  package let maximumAttempts: Int
  private let firstWait: Duration
  private let longestWait: Duration
  /// The attempts since the last connection.
  package private(set) var attempts = 0

  /// - Parameters:
  ///   - maximumAttempts: 0 to connect only once.
  ///   - firstWait: the wait before the first attempt. Each wait is twice as long as the one before.
  ///   - longestWait: no wait is longer.
  package init(
    maximumAttempts: Int = 5, firstWait: Duration = .seconds(2), longestWait: Duration = .seconds(10)
  ) {
    self.maximumAttempts = max(0, maximumAttempts)
    self.longestWait = max(.zero, longestWait)
    self.firstWait = min(max(.zero, firstWait), self.longestWait)
  }

  /// Counts an attempt.
  ///
  /// - Returns: The time to wait before it; nil if there were enough attempts.
  package mutating func next() -> Duration? {
    guard attempts < maximumAttempts else { return nil }
    var wait = firstWait
    for _ in 0..<attempts where wait < longestWait { wait = min(wait * 2, longestWait) }
    attempts += 1
    return wait
  }

  /// Counts from the beginning, since there is a connection.
  package mutating func connected() { attempts = 0 }
}
