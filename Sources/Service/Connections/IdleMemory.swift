import CSystemd
import Threads

/// The C library keeps memory that was freed for later, by default as much as a crowd of clients needed once. A service
/// lives for months, so it gives that back when most of a crowd, or of what clients had left unread, has gone.
final class IdleMemory: Sendable {
  /// Something that takes memory, and how much of it there is.
  final class Use: Sendable {
    /// Less than this leaves nothing that is worth looking for.
    private let crowd: Int
    /// The most since memory was last given back.
    private let most = Locked(0)
    private let hasFallen: @Sendable () -> Void

    fileprivate init(crowd: Int, hasFallen: @escaping @Sendable () -> Void) {
      self.crowd = crowd
      self.hasFallen = hasFallen
    }

    func changed(to now: Int) {
      let hasFallen = most.withLock { most in
        most = max(most, now)
        guard now <= most / 2, most - now >= crowd else { return false }
        most = now
        return true
      }
      if hasFallen { self.hasFallen() }
    }
  }

  let clients: Use
  /// In bytes.
  let unread: Use

  init() {
    let trimming = Trimming()
    clients = Use(crowd: 32, hasFallen: trimming.begin)
    unread = Use(crowd: 4 << 20, hasFallen: trimming.begin)
  }

  private final class Trimming: Sendable {
    private let isDue = Locked(false)

    @Sendable func begin() {
      let isFirst = isDue.withLock { isDue in
        defer { isDue = true }
        return !isDue
      }
      guard isFirst else { return }
      Task {
        // Those who are going take some time for it.
        try? await Task.sleep(for: .seconds(1))
        isDue.withLock { $0 = false }
        malloc_trim(0)
      }
    }
  }
}
