import Bridge
import Threads

/// What was written to the clients and waits for them to read it, by caller: a page has many connections, and could leave
/// as much unread on each of them.
final class UnreadAnswers: Sendable {
  private struct State {
    var callers: [BridgeCaller: [BridgeConnection: Int]] = [:]
    var all = 0
  }
  private let limit: Int
  private let memory: IdleMemory
  private let state = Locked(State())

  init(_ limits: ServiceLimits, _ memory: IdleMemory) {
    limit = limits.outgoingBytesPerCaller
    self.memory = memory
  }

  /// Counts bytes that are about to be written to a connection.
  ///
  /// - Returns: the connections that have to go to make room for them, that with the most unread first; this one, too, where
  ///   it has left the most unread.
  func add(_ bytes: Int, to connection: BridgeConnection, of caller: BridgeCaller) -> [BridgeConnection] {
    let (all, leaving) = state.withLock { state in
      let unread = state.callers[caller, default: [:]]
      state.callers[caller, default: [:]][connection, default: 0] += bytes
      state.all += bytes
      return (state.all, mostUnread(unread, toMakeRoomFor: bytes))
    }
    memory.unread.changed(to: all)
    return leaving
  }

  private func mostUnread(_ unread: [BridgeConnection: Int], toMakeRoomFor bytes: Int) -> [BridgeConnection] {
    // Nearly always nobody has left anything.
    var sum = unread.values.reduce(bytes, +)
    guard sum > limit else { return [] }
    var leaving: [BridgeConnection] = []
    for (connection, bytes) in unread.sorted(by: { $0.value > $1.value }) where sum > limit {
      leaving.append(connection)
      sum -= bytes
    }
    return leaving
  }

  /// The bytes were read, or will never be.
  func remove(_ bytes: Int, from connection: BridgeConnection, of caller: BridgeCaller) {
    let all = state.withLock { state in
      let left = (state.callers[caller]?[connection] ?? 0) - bytes
      state.callers[caller]?[connection] = left > 0 ? left : nil
      if state.callers[caller]?.isEmpty == true { state.callers[caller] = nil }
      state.all -= bytes
      return state.all
    }
    memory.unread.changed(to: all)
  }
}
