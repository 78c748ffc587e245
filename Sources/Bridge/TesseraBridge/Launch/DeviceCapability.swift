import TesseraCore
import TesseraThreads

/// What a provider says of its device, such as whether it is there. One query of a caller is under way at a time, and its
/// answer serves the next two seconds: each query may start a service, wake up a device and occupy a thread, and a page can
/// ask without end.
///
/// The service behind a provider may have to start first. An answer that comes too late for `isPresent` serves the next
/// query.
final class DeviceCapability<Answer: Sendable>: Sendable {
  /// A page waits 800 ms for its configuration.
  static var limit: Duration { .milliseconds(500) }
  /// How long an answer counts.
  static var lifetime: Duration { .seconds(2) }

  private struct Entry {
    var query: Task<Answer, Never>?
    var answer: (value: Answer, time: ContinuousClock.Instant)?
  }
  private struct State {
    var entries: [Caller: Entry] = [:]
    /// Incremented when the provider is replaced.
    var generation = 0
  }
  private let state = Locked(State())
  private let clock: any MonotonicClock

  init(clock: any MonotonicClock = ContinuousClock()) { self.clock = clock }

  /// The answer of the provider.
  ///
  /// - Parameters:
  ///   - age: the greatest age of an answer that counts. A query under way always counts.
  ///   - query: asks the provider.
  func answer(
    for caller: Caller, noOlderThan age: Duration = lifetime, _ query: @escaping @Sendable () async -> Answer
  ) async -> Answer {
    switch current(for: caller, age, query) {
    case .known(let answer): answer
    case .asked(let query): await query.value
    }
  }

  /// The answer of the provider if it comes within `limit`; otherwise the last one, or `unknown`.
  func isPresent(
    for caller: Caller, ifUnknown unknown: Bool = false, _ query: @escaping @Sendable () async -> Answer
  ) async -> Answer where Answer == Bool {
    switch current(for: caller, Self.lifetime, query) {
    case .known(let answer): return answer
    case .asked(let query):
      let answer = try? await withTimeLimit(Self.limit, clock: clock) { await query.value }
      return answer ?? state.withLock { $0.entries[caller]?.answer?.value } ?? unknown
    }
  }

  /// Forgets all answers, for example because the provider was replaced.
  func reset() {
    state.withLock { state in
      state.entries = [:]
      state.generation += 1
    }
  }

  private enum Current {
    case known(Answer)
    case asked(Task<Answer, Never>)
  }

  private func current(
    for caller: Caller, _ age: Duration, _ query: @escaping @Sendable () async -> Answer
  ) -> Current {
    state.withLock { state in
      if let query = state.entries[caller]?.query { return .asked(query) }
      if let answer = state.entries[caller]?.answer, clock.now - answer.time < age { return .known(answer.value) }
      // Pages of any number of origins may ask.
      if state.entries.count >= 256 { state.entries = state.entries.filter { $0.value.query != nil } }
      let generation = state.generation
      // A task of its own: the end of a waiting request ends the wait, not the query.
      let task = Task {
        let answer = await query()
        keep(answer, caller, generation)
        return answer
      }
      state.entries[caller, default: Entry()].query = task
      return .asked(task)
    }
  }

  private func keep(_ answer: Answer, _ caller: Caller, _ generation: Int) {
    state.withLock { state in
      guard state.generation == generation else { return }
      state.entries[caller] = Entry(answer: (answer, clock.now))
    }
  }
}
