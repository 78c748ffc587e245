package import TesseraReaders
internal import TesseraSmartCard
internal import TesseraThreads

/// Stops reads in their middle while it is closed, so that something can happen to them there.
package final class ReadGate: Sendable {
  private struct State {
    var isClosed = false
    var held: [CheckedContinuation<Void, Never>] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Locked(State())

  package init() {}

  package func close() { state.withLock { $0.isClosed = true } }

  /// Lets the reads that it stopped go on, and those that come later.
  package func open() {
    let held = state.withLock { state in
      state.isClosed = false
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  /// Waits until so many reads are stopped.
  package func awaitHeld(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.held.count < count { state.waiting.append((count, continuation)) }
        return state.held.count >= count
      }
      if isReached { continuation.resume() }
    }
  }

  fileprivate func pass() async {
    await withCheckedContinuation { continuation in
      let (isClosed, reached) = state.withLock { state in
        guard state.isClosed else { return (false, [CheckedContinuation<Void, Never>]()) }
        state.held.append(continuation)
        let count = state.held.count
        let reached = state.waiting.filter { $0.count <= count }.map(\.continuation)
        state.waiting.removeAll { $0.count <= count }
        return (true, reached)
      }
      if !isClosed { continuation.resume() }
      for waiting in reached { waiting.resume() }
    }
  }

  /// A chip of the document behind this gate.
  package func source(of document: LoadDocument) -> CardSource {
    document.source { GatedChannel(base: $0, gate: self) }
  }
}

/// A channel with the gate after access control has begun.
private struct GatedChannel: CardChannel {
  private static let exchange = 8

  let base: any CardChannel
  let gate: ReadGate
  private let count = Locked(0)

  init(base: any CardChannel, gate: ReadGate) {
    self.base = base
    self.gate = gate
  }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    if number == Self.exchange { await gate.pass() }
    return try await base.transmit(command)
  }

  func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }
}
