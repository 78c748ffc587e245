import Cryptography
import Threads

/// The keys that are open in this process. A key stays open while it is used and is wiped a second after its last
/// use: long enough for a run of signatures, short enough that an idle process holds no key.
final class OpenKeys: Sendable {
  /// One content of a key's file: a key that takes another's place is another one.
  struct Place: Hashable, Sendable {
    let name: KeyName
    let identity: KeyFolder.Identity
  }
  private struct Entry {
    let key: SigningKey
    var lastUse: ContinuousClock.Instant
  }
  private struct State {
    var entries: [Place: Entry] = [:]
    var sweeps = false
  }
  private let state = Locked(State())
  /// A person is asked once, and not by every task that waits for the key.
  private let opening = SharedWork<Place, SigningKey>()
  private let lifetime: Duration

  init(lifetime: Duration = .seconds(1)) { self.lifetime = lifetime }

  /// The open key, or the one that `open` opens.
  func key(_ place: Place, open: @escaping @Sendable () async throws -> SigningKey) async throws -> SigningKey {
    if let key = use(place) { return key }
    return try await opening.value(place) {
      let key = try await open()
      self.keep(key, place)
      return key
    }
  }

  func forget(_ name: KeyName) { state.withLock { $0.entries = $0.entries.filter { $0.key.name != name } } }

  private func use(_ place: Place) -> SigningKey? {
    state.withLock { state in
      guard let entry = state.entries[place] else { return nil }
      state.entries[place]?.lastUse = .now
      return entry.key
    }
  }

  private func keep(_ key: SigningKey, _ place: Place) {
    let sweeps = state.withLock { state in
      state.entries[place] = Entry(key: key, lastUse: .now)
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
