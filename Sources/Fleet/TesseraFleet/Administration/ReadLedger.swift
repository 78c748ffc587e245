internal import TesseraThreads

/// Counts the reads of an inspector, with an upper bound on its memory.
package final class ReadLedger: Sendable {
  /// The most desks that one inspector remembers. The one with the oldest read is forgotten first.
  package static let maximumDesks = 4096
  /// The most desks in one answer.
  static let maximumReported = 512
  /// The most different outcomes.
  private static let maximumOutcomes = 32
  /// How long a desk is remembered.
  private static let memory = Duration.seconds(24 * 3600)

  private struct Desk {
    var software: String
    var reads = 0
    var last: ContinuousClock.Instant
  }

  private struct State {
    var reads: [String: Int] = [:]
    var underWay = 0
    var desks: [String: Desk] = [:]
  }
  private let state = Locked(State())
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameter now: The monotonic clock.
  package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  /// Notes the beginning of a read. Each needs one `finished`.
  package func began(_ desk: DeskName, software: String) {
    let now = now()
    let software = String(software.prefix(64))
    state.withLock { state in
      state.underWay += 1
      if state.desks[desk.text] == nil, state.desks.count >= Self.maximumDesks,
        let oldest = state.desks.min(by: { $0.value.last < $1.value.last })?.key
      {
        state.desks[oldest] = nil
      }
      state.desks[desk.text, default: Desk(software: software, last: now)].last = now
      state.desks[desk.text]?.software = software
    }
  }

  /// Notes the end of a read.
  ///
  /// - Parameter outcome: A short word: a verdict, or the code of an error.
  package func finished(_ desk: DeskName, outcome: String) {
    state.withLock { state in
      state.underWay = max(0, state.underWay - 1)
      state.desks[desk.text]?.reads += 1
      let outcome = state.reads[outcome] != nil || state.reads.count < Self.maximumOutcomes - 1 ? outcome : "other"
      state.reads[outcome, default: 0] += 1
    }
  }

  package var figures: InspectorFigures {
    let now = now()
    return state.withLock { state in
      state.desks = state.desks.filter { now - $0.value.last < Self.memory }
      let desks = state.desks.sorted { ($1.value.last, $0.key) < ($0.value.last, $1.key) }
      var figures = InspectorFigures()
      figures.reads = state.reads
      figures.underWay = state.underWay
      figures.desks = desks.prefix(Self.maximumReported).map { name, desk in
        DeskFigures(
          desk: name, software: desk.software, reads: desk.reads,
          age: Int(max(.zero, now - desk.last).components.seconds))
      }
      figures.furtherDesks = desks.count - figures.desks.count
      return figures
    }
  }
}
