import CTesseraSystemd
import TesseraThreads

/// Returns freed memory to the system after a load peak. The C library keeps freed memory for later use, and a service
/// that runs for months would keep as much as its largest peak needed.
final class MemoryTrimming: Sendable {
  /// One consumer of memory, and its current amount.
  final class Use: Sendable {
    /// A smaller decrease does not free enough memory to be worth a trim.
    private let threshold: Int
    /// The highest amount since the last trim.
    private let peak = Locked(0)
    private let hasFallen: @Sendable () -> Void

    fileprivate init(threshold: Int, hasFallen: @escaping @Sendable () -> Void) {
      self.threshold = threshold
      self.hasFallen = hasFallen
    }

    func changed(to now: Int) {
      let hasFallen = peak.withLock { peak in
        peak = max(peak, now)
        guard now <= peak / 2, peak - now >= threshold else { return false }
        peak = now
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
    clients = Use(threshold: 32, hasFallen: trimming.begin)
    unread = Use(threshold: 4 << 20, hasFallen: trimming.begin)
  }

  private final class Trimming: Sendable {
    private let isScheduled = Locked(false)

    @Sendable func begin() {
      let isFirst = isScheduled.withLock { isScheduled in
        defer { isScheduled = true }
        return !isScheduled
      }
      guard isFirst else { return }
      Task {
        // Other connections may be about to close.
        try? await Task.sleep(for: .seconds(1))
        isScheduled.withLock { $0 = false }
        malloc_trim(0)
      }
    }
  }
}
