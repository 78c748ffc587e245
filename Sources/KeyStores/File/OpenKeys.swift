import Cryptography
import Synchronization

/// The keys that are open in this process. A key stays open while it is used and is wiped a second after its last
/// use: long enough for a run of signatures, short enough that an idle process holds no key.
final class OpenKeys: Sendable {
  private struct Entry {
    let key: SigningKey
    let identity: KeyFolder.Identity
    var lastUse: ContinuousClock.Instant
  }
  private struct State {
    var entries: [KeyName: Entry] = [:]
    /// Openings under way, so that a person is asked once and not by every task that waits for the key.
    var opening: [KeyName: (task: Task<SigningKey, any Error>, waiting: Int)] = [:]
    var sweeps = false
  }
  private let state = Mutex(State())
  private let lifetime: Duration

  init(lifetime: Duration = .seconds(1)) { self.lifetime = lifetime }

  /// The open key, or the one that `open` opens.
  ///
  /// - Parameter identity: that of the file now; a key that was opened from another content is not used.
  func key(
    _ name: KeyName, _ identity: KeyFolder.Identity,
    open: @escaping @Sendable () async throws -> (SigningKey, KeyFolder.Identity)
  ) async throws -> SigningKey {
    if let key = use(name, identity) { return key }
    let task = state.withLock { state in
      if let running = state.opening[name] {
        state.opening[name]?.waiting += 1
        return running.task
      }
      let task = Task {
        let (key, identity) = try await open()
        self.keep(key, name, identity)
        return key
      }
      state.opening[name] = (task, 1)
      return task
    }
    defer { leave(name, task) }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      // Others may be waiting for the same answer.
      if state.withLock({ $0.opening[name]?.waiting ?? 1 }) <= 1 { task.cancel() }
    }
  }

  func forget(_ name: KeyName) { state.withLock { _ = $0.entries.removeValue(forKey: name) } }

  private func use(_ name: KeyName, _ identity: KeyFolder.Identity) -> SigningKey? {
    state.withLock { state in
      guard let entry = state.entries[name], entry.identity == identity else { return nil }
      state.entries[name]?.lastUse = .now
      return entry.key
    }
  }

  private func leave(_ name: KeyName, _ task: Task<SigningKey, any Error>) {
    state.withLock { state in
      guard let running = state.opening[name], running.task == task else { return }
      if running.waiting <= 1 { state.opening[name] = nil } else { state.opening[name]?.waiting -= 1 }
    }
  }

  private func keep(_ key: SigningKey, _ name: KeyName, _ identity: KeyFolder.Identity) {
    let sweeps = state.withLock { state in
      state.entries[name] = Entry(key: key, identity: identity, lastUse: .now)
      defer { state.sweeps = true }
      return state.sweeps
    }
    guard !sweeps else { return }
    Task { [self] in
      while !closeUnused() { try? await Task.sleep(for: lifetime / 4) }
    }
  }

  /// - Returns: whether none is left open, and so nothing to do any more.
  private func closeUnused() -> Bool {
    state.withLock { state in
      state.entries = state.entries.filter { $0.value.lastUse.duration(to: .now) < lifetime }
      if state.entries.isEmpty { state.sweeps = false }
      return state.entries.isEmpty
    }
  }
}
