import Threads

/// The result of `work`, or nil when it has none within the limit. Work that blocks in C cannot be ended: it is told
/// that it is cancelled, and goes on by itself.
func answer<Result: Sendable>(
  within limit: Duration, _ work: @escaping @Sendable @concurrent () async -> Result
) async -> Result? {
  await withCheckedContinuation { (continuation: CheckedContinuation<Result?, Never>) in
    let waiting = Locked<CheckedContinuation<Result?, Never>?>(continuation)
    // The first one takes it.
    let resume = { @Sendable (result: Result?) in
      let continuation = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      continuation?.resume(returning: result)
    }
    let clock = Locked<Task<Void, Never>?>(nil)
    let working = Task.detached {
      resume(await work())
      clock.withLock { $0 }?.cancel()
    }
    let limiting = Task.detached {
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      resume(nil)
      working.cancel()
    }
    clock.withLock { $0 = limiting }
  }
}
