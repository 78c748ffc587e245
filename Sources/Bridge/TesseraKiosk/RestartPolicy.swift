/// How long something waits before it tries again: each failure in a row doubles the wait.
package struct Backoff: Sendable, Equatable {
  package let first: Duration
  package let longest: Duration

  package init(first: Duration = .seconds(1), longest: Duration) {
    self.first = first
    self.longest = longest
  }

  /// - Parameter failures: the number of failures in a row, from 1.
  package func delay(after failures: Int) -> Duration {
    var delay = min(first, longest)
    var left = failures
    while left > 1, delay < longest {
      delay = min(delay * 2, longest)
      left -= 1
    }
    return delay
  }
}

/// Decides when a kiosk loads its page again, and when it gives up, so that the service manager starts it anew.
package struct RestartPolicy: Sendable {
  /// A page that was shown for this long ends a row of failures.
  package static let stableTime = Duration.seconds(60)

  private let mostFailures: Int
  private let backoff: Backoff
  package private(set) var failures = 0

  /// - Parameter mostFailures: how many failures in a row end the kiosk; at least 1.
  package init(mostFailures: Int, backoff: Backoff = Backoff(longest: .seconds(30))) {
    self.mostFailures = max(1, mostFailures)
    self.backoff = backoff
  }

  /// The page is gone, or did not come.
  ///
  /// - Parameter shown: how long it was shown; nil if it never was.
  /// - Returns: how long to wait before the next load; nil to give up.
  package mutating func failed(shown: Duration?) -> Duration? {
    if let shown, shown >= Self.stableTime { failures = 0 }
    failures += 1
    return failures < mostFailures ? backoff.delay(after: failures) : nil
  }
}
