import Bridge
import Threads

/// What was written to the clients and waits for them to read it, by caller: a page has many connections, and could leave
/// as much unread on each of them.
final class UnreadAnswers: Sendable {
  private struct Unread {
    var all = 0
    var connections: [BridgeConnection: Int] = [:]

    /// - Returns: the sum.
    mutating func add(_ bytes: Int, to connection: BridgeConnection) -> Int {
      all += bytes
      connections[connection, default: 0] += bytes
      return all
    }
  }
  private struct State {
    var callers: [BridgeCaller: Unread] = [:]
    var all = 0
  }
  private let limits: ServiceLimits
  private let memory: IdleMemory
  private let state = Locked(State())

  init(_ limits: ServiceLimits, _ memory: IdleMemory) {
    self.limits = limits
    self.memory = memory
  }

  /// Counts bytes that are about to be written to a connection.
  ///
  /// - Returns: the connections that have to be closed to make room for them, that with the most unread first; this one,
  ///   too, where it has left the most unread.
  func add(_ bytes: Int, to connection: BridgeConnection, of caller: BridgeCaller) -> [BridgeConnection] {
    let limit = caller == .local ? limits.outgoingBytesOfPrograms : limits.outgoingBytesPerOrigin
    let (all, leaving) = state.withLock { state -> (Int, [BridgeConnection]) in
      state.all += bytes
      let unread = state.callers[caller, default: Unread()].add(bytes, to: connection)
      guard unread > limit, let connections = state.callers[caller]?.connections else { return (state.all, []) }
      // Nobody has had time to read what was just written.
      let order = connections.map { (connection: $0, bytes: $1, left: $0 == connection ? $1 - bytes : $1) }
        .sorted { $0.left > $1.left }
      var excess = unread - limit
      var leaving: [BridgeConnection] = []
      for candidate in order where excess > 0 {
        leaving.append(candidate.connection)
        excess -= candidate.bytes
      }
      return (state.all, leaving)
    }
    memory.unread.changed(to: all)
    return leaving
  }

  /// The bytes were read, or will never be.
  func remove(_ bytes: Int, from connection: BridgeConnection, of caller: BridgeCaller) {
    let all = state.withLock { state in
      let left = (state.callers[caller]?.connections[connection] ?? 0) - bytes
      state.callers[caller]?.all -= bytes
      state.callers[caller]?.connections[connection] = left > 0 ? left : nil
      if state.callers[caller]?.connections.isEmpty == true { state.callers[caller] = nil }
      state.all -= bytes
      return state.all
    }
    memory.unread.changed(to: all)
  }
}
