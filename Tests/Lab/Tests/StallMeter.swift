import Foundation
import Synchronization

/// How late this machine wakes a thread, measured all the time: an emulated machine stands still whenever the host gives its
/// cores to somebody else, and what it plays is then late by no fault of the player's.
final class StallMeter: Sendable {
  private let worst = Mutex(0)

  init() {
    Thread.detachNewThread { [self] in
      while true {
        let start = ContinuousClock.now
        usleep(1000)
        let late = Int((ContinuousClock.now - start) / .milliseconds(1)) - 1
        worst.withLock { $0 = max($0, late) }
      }
    }
  }

  /// The greatest lateness since the last question, in milliseconds.
  func take() -> Int {
    worst.withLock { worst in
      defer { worst = 0 }
      return worst
    }
  }
}
