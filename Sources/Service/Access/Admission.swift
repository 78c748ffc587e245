import Bridge
import Threads

/// Counts the connections of each caller, those of this user's programs as those of each web origin. Browsers that are
/// still shaking hands are none of them (`WaitingHandshakes`), so that a stranger takes no place from anybody.
final class Admission: Sendable {
  private struct Counts {
    var callers: [BridgeCaller: Int] = [:]
    var pages = 0
  }
  private let limits: ServiceLimits
  private let memory: IdleMemory
  private let counts = Locked(Counts())

  init(_ limits: ServiceLimits, _ memory: IdleMemory) {
    self.limits = limits
    self.memory = memory
  }

  var count: Int { counts.withLock { $0.pages + ($0.callers[.local] ?? 0) } }

  /// - Returns: false where the caller, or all pages together, have as many connections as they may; it is not counted
  ///   then.
  func enter(_ caller: BridgeCaller) -> Bool {
    let count = counts.withLock { counts -> Int? in
      let own = counts.callers[caller] ?? 0
      let isRoom =
        switch caller {
        case .local: own < limits.connections
        case .web: own < limits.connectionsPerOrigin && counts.pages < limits.connections
        }
      guard isRoom else { return nil }
      counts.callers[caller] = own + 1
      if caller != .local { counts.pages += 1 }
      return counts.pages + (counts.callers[.local] ?? 0)
    }
    guard let count else { return false }
    memory.clients.changed(to: count)
    return true
  }

  func leave(_ caller: BridgeCaller) {
    let count = counts.withLock { counts in
      let own = (counts.callers[caller] ?? 0) - 1
      counts.callers[caller] = own > 0 ? own : nil
      if caller != .local { counts.pages -= 1 }
      return counts.pages + (counts.callers[.local] ?? 0)
    }
    memory.clients.changed(to: count)
  }
}
