/// Values that cost something to get and must not lie about: each is kept while it is used and let go a second after its
/// last use. Long enough for a run of uses, short enough that an idle process holds none.
public final class KeptWhileUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry {
    let value: Value
    var lastUse: ContinuousClock.Instant
  }
  private struct State {
    var entries: [Key: Entry] = [:]
    var sweeps = false
  }
  private let state = Locked(State())
  /// What is wanted by many at once is got once.
  private let getting = SharedWork<Key, Value>()
  private let lifetime: Duration
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameter now: the time by which uses are judged.
  public init(
    lifetime: Duration = .seconds(1), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.lifetime = lifetime
    self.now = now
  }

  /// The value that is kept, or the one that `get` gets.
  public func value(_ key: Key, get: @escaping @Sendable () async throws -> Value) async throws -> Value {
    if let value = kept(key) { return value }
    return try await getting.value(key) {
      // It may have come between the look above and this work.
      if let value = self.kept(key) { return value }
      let value = try await get()
      self.keep(value, key)
      return value
    }
  }

  /// The value where it is kept; nil where it would have to be got.
  public func kept(_ key: Key) -> Value? {
    state.withLock { state in
      guard let entry = state.entries[key] else { return nil }
      state.entries[key]?.lastUse = now()
      return entry.value
    }
  }

  public func forget(where isForgotten: (Key) -> Bool) {
    state.withLock { $0.entries = $0.entries.filter { !isForgotten($0.key) } }
  }

  private func keep(_ value: Value, _ key: Key) {
    let sweeps = state.withLock { state in
      state.entries[key] = Entry(value: value, lastUse: now())
      defer { state.sweeps = true }
      return state.sweeps
    }
    guard !sweeps else { return }
    Task { [self] in
      while !letUnusedGo() { try? await Task.sleep(for: lifetime / 4) }
    }
  }

  /// - Returns: whether none is left, and so nothing to do any more.
  private func letUnusedGo() -> Bool {
    let now = now()
    return state.withLock { state in
      state.entries = state.entries.filter { $0.value.lastUse.duration(to: now) < lifetime }
      if state.entries.isEmpty { state.sweeps = false }
      return state.entries.isEmpty
    }
  }
}
