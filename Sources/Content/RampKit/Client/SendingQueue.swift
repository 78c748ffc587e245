import TesseraThreads

/// Sends one thing after another, in their order. What does not fit into the queue is dropped: a server that does not
/// answer must not fill the memory.
@MainActor
final class SendingQueue {
  private static let maximumCount = 200

  private var waiting: [@Sendable () async -> Void] = []
  private var sending: Task<Void, Never>?
  /// Called once when the first thing is dropped.
  var onDrop: (@MainActor () -> Void)?
  private var hasDropped = false

  func send(_ work: @escaping @Sendable () async -> Void) {
    guard waiting.count < Self.maximumCount else {
      if !hasDropped { onDrop?() }
      hasDropped = true
      return
    }
    waiting.append(work)
    guard sending == nil else { return }
    sending = Task { [weak self] in
      while let work = self?.next() { await work() }
      self?.sending = nil
    }
  }

  /// Waits until everything was sent, at most for this time.
  func finish(atMost limit: Duration) async {
    guard let sending else { return }
    try? await withTimeLimit(limit) { await sending.value }
  }

  private func next() -> (@Sendable () async -> Void)? { waiting.isEmpty ? nil : waiting.removeFirst() }
}
