import Foundation
import Synchronization

/// How late this machine wakes a thread, measured all the time: an emulated machine stands still whenever the host gives its
/// cores to somebody else, and what it plays is then late by no fault of the player's.
final class StallMeter: Sendable {
  private struct State {
    var start = ContinuousClock.now
    var fellAsleep = ContinuousClock.now
    var worst = Duration.zero
    var lost = Duration.zero

    /// How much longer than a millisecond the present sleep has lasted.
    var lateness: Duration { ContinuousClock.now - fellAsleep - .milliseconds(1) }
  }

  private let state = Mutex(State())

  init() {
    Thread.detachNewThread { [self] in
      while true {
        state.withLock { $0.fellAsleep = .now }
        usleep(1000)
        state.withLock { state in
          state.worst = max(state.worst, state.lateness)
          // A thread is woken a little late on every machine.
          if state.lateness >= .milliseconds(1) { state.lost += state.lateness }
        }
      }
    }
  }

  /// The greatest lateness since `reset()`, in milliseconds, with that of a sleep that has not ended.
  var worst: Int { state.withLock { Int(max($0.worst, $0.lateness) / .milliseconds(1)) } }

  /// The part of the time since `reset()` that lateness made up, in percent.
  var lostShare: Int { state.withLock { Int(100 * ($0.lost / (ContinuousClock.now - $0.start))) } }

  func reset() {
    state.withLock { state in
      state.start = .now
      state.worst = .zero
      state.lost = .zero
    }
  }
}
