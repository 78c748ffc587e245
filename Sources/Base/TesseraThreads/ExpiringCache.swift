import Glibc

/// A cache of expensive, sensitive values, evicted one second after last use: long enough for a series of uses, short
/// enough that an idle process has none in memory.
package final class ExpiringCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry {
    let value: Value
    var lastUse: ContinuousClock.Instant
  }
  private struct State {
    var entries: [Key: Entry] = [:]
    var hasEvictionTask = false
  }
  private let state = Locked(State())
  /// Concurrent requests for one value are served by one computation.
  private let requests = RequestCoalescer<Key, Value>()
  private let lifetime: Duration
  private let clock: any MonotonicClock

  package init(lifetime: Duration = .seconds(1), clock: any MonotonicClock = ContinuousClock()) {
    self.lifetime = lifetime
    self.clock = clock
  }

  /// The cached value, or else the result of `compute`, which is then cached.
  package func value(_ key: Key, get compute: @escaping @Sendable () async throws -> Value) async throws -> Value {
    if let value = cached(key) { return value }
    return try await requests.value(key) {
      // Another request may have ended after the check above.
      if let value = self.cached(key) { return value }
      let value = try await compute()
      self.insert(value, key)
      return value
    }
  }

  /// The cached value; nil if there is none.
  package func cached(_ key: Key) -> Value? {
    state.withLock { state in
      guard let entry = state.entries[key] else { return nil }
      state.entries[key]?.lastUse = clock.now
      return entry.value
    }
  }

  package func remove(where isRemoved: (Key) -> Bool) {
    state.withLock { $0.entries = $0.entries.filter { !isRemoved($0.key) } }
  }

  private func insert(_ value: Value, _ key: Key) {
    let hasEvictionTask = state.withLock { state in
      state.entries[key] = Entry(value: value, lastUse: clock.now)
      defer { state.hasEvictionTask = true }
      return state.hasEvictionTask
    }
    guard !hasEvictionTask else { return }
    Task { [self] in
      while let next = evictUnused() { try? await clock.sleep(until: next, tolerance: nil) }
    }
  }

  /// - Returns: When the lifetime of the next value ends, unless it is used until then; nil if the cache is empty.
  private func evictUnused() -> ContinuousClock.Instant? {
    let now = clock.now
    return state.withLock { state in
      state.entries = state.entries.filter { $0.value.lastUse.duration(to: now) < lifetime }
      let first = state.entries.values.map(\.lastUse).min()
      if first == nil { state.hasEvictionTask = false }
      return first.map { $0 + lifetime }
    }
  }
}

/// The time as an input of a type, so that a test can step it. Production code passes `ContinuousClock`.
///
/// Asynchronous code waits with `sleep`. Code that blocks its own thread waits with `poll`.
package protocol MonotonicClock: Clock where Instant == ContinuousClock.Instant {
  /// Blocks the calling thread until one of the descriptors has an event, or until the deadline, as poll(2) does.
  ///
  /// It may return earlier, so the caller compares the deadline with `now`.
  ///
  /// - Parameter deadline: nil for no limit.
  /// - Returns: The number of descriptors with an event, or -1 with `errno`.
  func poll(_ descriptors: inout [pollfd], until deadline: ContinuousClock.Instant?) -> Int32
}

extension ContinuousClock: MonotonicClock {
  package func poll(_ descriptors: inout [pollfd], until deadline: Instant?) -> Int32 {
    let timeout = deadline.map { deadline in
      let remaining = now.duration(to: deadline) / .milliseconds(1)
      // A longer wait is done in parts.
      return Int32(min(max(0, remaining.rounded(.up)), 60_000))
    }
    return Glibc.poll(&descriptors, nfds_t(descriptors.count), timeout ?? -1)
  }
}
