import Foundation
import Synchronization

/// Measures continuously how late this machine wakes a thread. An emulated machine stalls whenever the host gives its
/// cores to another process, and effects are late then without a fault of the player.
final class StallMeter: Sendable {
  private struct State {
    var start = ContinuousClock.now
    var fellAsleep = ContinuousClock.now
    var worst = Duration.zero
    var lost = Duration.zero

    /// The duration of the present sleep beyond one millisecond.
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
          // Every machine wakes threads with a small delay.
          if state.lateness >= .milliseconds(1) { state.lost += state.lateness }
        }
      }
    }
  }

  /// The maximum delay since `reset()`, in milliseconds, including that of a sleep that has not ended.
  var worst: Int { state.withLock { Int(max($0.worst, $0.lateness) / .milliseconds(1)) } }

  /// The sum of the delays since `reset()`, in percent of the time.
  var lostShare: Int { state.withLock { Int(100 * ($0.lost / (ContinuousClock.now - $0.start))) } }

  func reset() {
    state.withLock { state in
      state.start = .now
      state.worst = .zero
      state.lost = .zero
    }
  }
}
