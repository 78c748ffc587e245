import Bridge
import Threads

/// Counts connections: all of them, and those of each web origin.
final class Admission: Sendable {
  private struct Counts {
    var all = 0
    /// The most at one time since there were none.
    var most = 0
    var origins: [BridgeCaller: Int] = [:]
  }
  private let limits: ServiceLimits
  private let counts = Locked(Counts())

  init(_ limits: ServiceLimits) { self.limits = limits }

  var count: Int { counts.withLock { $0.all } }

  /// Every connection is counted, also one that will be told that it is too many.
  ///
  /// - Returns: whether it is within the limit.
  func enter() -> Bool {
    counts.withLock { counts in
      counts.all += 1
      counts.most = max(counts.most, counts.all)
      return counts.all <= limits.connections
    }
  }

  /// - Returns: how many there were at one time, where this was the last one; nil where it was not.
  func leave() -> Int? {
    counts.withLock { counts in
      counts.all -= 1
      guard counts.all == 0 else { return nil }
      defer { counts.most = 0 }
      return counts.most
    }
  }

  /// - Returns: false where the origin has as many connections as it may; it is not counted then.
  func enter(_ origin: BridgeCaller) -> Bool {
    counts.withLock { counts in
      let count = counts.origins[origin] ?? 0
      guard count < limits.connectionsPerOrigin else { return false }
      counts.origins[origin] = count + 1
      return true
    }
  }

  func leave(_ origin: BridgeCaller) {
    counts.withLock { counts in
      let count = (counts.origins[origin] ?? 0) - 1
      counts.origins[origin] = count > 0 ? count : nil
    }
  }
}
