import TesseraBridge
import TesseraCore
import TesseraThreads

/// Counts the bytes that were written and that clients have not read, by caller: an origin with many connections could
/// otherwise leave the maximum unread on each of them.
final class UnreadResponses: Sendable {
  private struct Unread {
    var total = 0
    var connections: [BridgeConnection: Int] = [:]

    /// - Returns: the sum.
    mutating func add(_ bytes: Int, to connection: BridgeConnection) -> Int {
      total += bytes
      connections[connection, default: 0] += bytes
      return total
    }
  }
  private struct State {
    var callers: [Caller: Unread] = [:]
    var total = 0
  }
  private let limits: ServiceLimits
  private let memory: MemoryTrimming
  private let state = Locked(State())

  init(_ limits: ServiceLimits, _ memory: MemoryTrimming) {
    self.limits = limits
    self.memory = memory
  }

  /// Counts bytes that were written to a connection.
  ///
  /// - Returns: the connections to close if the caller's limit is exceeded: those with the most unread bytes first,
  ///   which may include this one.
  func add(_ bytes: Int, to connection: BridgeConnection, of caller: Caller) -> [BridgeConnection] {
    let limit = caller == .local ? limits.outgoingBytesOfPrograms : limits.outgoingBytesPerOrigin
    let (total, leaving) = state.withLock { state -> (Int, [BridgeConnection]) in
      state.total += bytes
      let unread = state.callers[caller, default: Unread()].add(bytes, to: connection)
      guard unread > limit, let connections = state.callers[caller]?.connections else { return (state.total, []) }
      // The client has had no time to read the new bytes, so they do not count against it.
      let order = connections.map { (connection: $0, bytes: $1, left: $0 == connection ? $1 - bytes : $1) }
        .sorted { $0.left > $1.left }
      var excess = unread - limit
      var leaving: [BridgeConnection] = []
      for candidate in order where excess > 0 {
        leaving.append(candidate.connection)
        excess -= candidate.bytes
      }
      return (state.total, leaving)
    }
    memory.unread.changed(to: total)
    return leaving
  }

  /// Subtracts bytes that were read, or discarded with their connection.
  func remove(_ bytes: Int, from connection: BridgeConnection, of caller: Caller) {
    let total = state.withLock { state in
      let left = (state.callers[caller]?.connections[connection] ?? 0) - bytes
      state.callers[caller]?.total -= bytes
      state.callers[caller]?.connections[connection] = left > 0 ? left : nil
      if state.callers[caller]?.connections.isEmpty == true { state.callers[caller] = nil }
      state.total -= bytes
      return state.total
    }
    memory.unread.changed(to: total)
  }
}
