package import TesseraNATS
internal import TesseraThreads

/// Receives every message that passes a server.
package final class MessageSpy: Sendable {
  private struct State {
    var payloads: [[UInt8]] = []
    var waiting: [(condition: @Sendable ([UInt8]) -> Bool, CheckedContinuation<Void, Never>)] = []
    var sentinels = 0
  }
  private let connection: NATSConnection
  private let state: Locked<State>
  private let subscription: NATSSubscription

  package init(_ connection: NATSConnection) async throws {
    self.connection = connection
    let state = Locked(State())
    self.state = state
    subscription = try connection.subscribe(">", pendingLimit: 1 << 16) { message in
      let arrived = state.withLock { state in
        state.payloads.append(message.payload)
        let arrived = state.waiting.filter { $0.condition(message.payload) }
        state.waiting.removeAll { $0.condition(message.payload) }
        return arrived.map(\.1)
      }
      for continuation in arrived { continuation.resume() }
    }
    try await connection.flush(within: .seconds(60))
  }

  /// Waits for a message, which may have passed already.
  package func awaitMessage(_ condition: @escaping @Sendable ([UInt8]) -> Bool) async throws {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.payloads.contains(where: condition) { return true }
        state.waiting.append((condition, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// The payloads so far. A message of its own shows that all earlier ones have arrived.
  package func payloads() async throws -> [[UInt8]] {
    let sentinel = state.withLock { state in
      state.sentinels += 1
      return Array("sentinel \(state.sentinels)".utf8)
    }
    try connection.publish(NATSMessage(subject: "lab.sentinel", payload: sentinel))
    try await awaitMessage { $0 == sentinel }
    return state.withLock { $0.payloads }
  }
}
