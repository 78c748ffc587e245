package import TesseraFleet
internal import TesseraThreads

/// Records in memory, shared by the inspectors of a test. It can be made slow, spool, or fail.
package final class LabRecorder: FleetRecording {
  package enum Behaviour: Sendable {
    case records
    case spools
    case fails
    /// Waits until `release()`, then records.
    case waits
  }

  private struct State {
    var reads: [FinishedRead] = []
    var behaviour: Behaviour
    var waiting: [CheckedContinuation<Void, Never>] = []
    var arrivals: [CheckedContinuation<Void, Never>] = []
  }
  private let state: Locked<State>

  package init(_ behaviour: Behaviour = .records) { state = Locked(State(behaviour: behaviour)) }

  package func behave(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }

  /// The recorded reads, in order.
  package var reads: [FinishedRead] { state.withLock { $0.reads } }

  package struct Failed: Error {}

  package func record(_ read: FinishedRead) async throws -> RecordOutcome {
    if state.withLock({ if case .waits = $0.behaviour { true } else { false } }) {
      await withCheckedContinuation { continuation in
        let arrivals = state.withLock { state in
          state.waiting.append(continuation)
          defer { state.arrivals = [] }
          return state.arrivals
        }
        for arrival in arrivals { arrival.resume() }
      }
    }
    return try state.withLock { state in
      if case .fails = state.behaviour { throw Failed() }
      guard !state.reads.contains(where: { $0.readID == read.readID }) else { return .conflict }
      state.reads.append(read)
      if case .spools = state.behaviour { return .spooled }
      return .recorded
    }
  }

  /// Waits until a read waits for `release()`.
  package func awaitRead() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.waiting.isEmpty { state.arrivals.append(continuation) }
        return !state.waiting.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }

  /// Lets the reads that wait go on, and those that come later.
  package func release() {
    let waiting = state.withLock { state in
      state.behaviour = .records
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
