import TesseraBridge
import TesseraCore
import TesseraThreads

/// Limits the number of connections for local programs and for each web origin. Pending WebSocket handshakes are
/// limited separately (`WaitingHandshakes`), and pages without a grant have a small share, so that they cannot exhaust this
/// quota.
final class ConnectionQuota: Sendable {
  private struct Counts {
    var callers: [Caller: Int] = [:]
    var pages = 0
    var strangers = 0
  }
  /// The connections of all pages without a grant, which connect only if the user is asked about them.
  private static let mostStrangers = 64
  private let limits: ServiceLimits
  private let memory: MemoryTrimming
  private let counts = Locked(Counts())

  init(_ limits: ServiceLimits, _ memory: MemoryTrimming) {
    self.limits = limits
    self.memory = memory
  }

  var count: Int { counts.withLock { $0.pages + ($0.callers[.local] ?? 0) } }

  /// - Parameter isStranger: whether it is a page without a grant.
  /// - Returns: false if the caller, or all pages together, have reached their limit. Then the connection is not
  ///   counted.
  func enter(_ caller: Caller, isStranger: Bool = false) -> Bool {
    let count = counts.withLock { counts -> Int? in
      let own = counts.callers[caller] ?? 0
      let hasCapacity =
        switch caller {
        case .local: own < limits.connections
        case .web: own < limits.connectionsPerOrigin && counts.pages < limits.connections
        }
      guard hasCapacity, !isStranger || counts.strangers < Self.mostStrangers else { return nil }
      if isStranger { counts.strangers += 1 }
      counts.callers[caller] = own + 1
      if caller != .local { counts.pages += 1 }
      return counts.pages + (counts.callers[.local] ?? 0)
    }
    guard let count else { return false }
    memory.clients.changed(to: count)
    return true
  }

  /// - Parameter isStranger: as it entered.
  func leave(_ caller: Caller, isStranger: Bool = false) {
    let count = counts.withLock { counts in
      if isStranger { counts.strangers -= 1 }
      let own = (counts.callers[caller] ?? 0) - 1
      counts.callers[caller] = own > 0 ? own : nil
      if caller != .local { counts.pages -= 1 }
      return counts.pages + (counts.callers[.local] ?? 0)
    }
    memory.clients.changed(to: count)
  }
}
