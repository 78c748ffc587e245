internal import TesseraThreads

/// The reception of messages on one subject. It ends with `cancel()`, with the connection, and with this object.
package final class NATSSubscription: Sendable {
  private struct State {
    /// nil before the beginning, and after the end.
    var handle: SubscriptionHandle?
    var isCancelled = false
    /// What libnats had dropped at the end.
    var dropped = 0
  }
  private let state: Locked<State>
  private let thread: ConnectionThread
  /// nil if the handler is called directly.
  private let queue: SubscriptionQueue?

  /// A subscription that has begun.
  init(_ handle: SubscriptionHandle, _ thread: ConnectionThread) {
    state = Locked(State(handle: handle))
    self.thread = thread
    queue = nil
  }

  /// A subscription that `subscribe` begins on the connection's thread. If the connection was closed by then, it
  /// never gets a message.
  ///
  /// - Throws: `NATSError.congested`.
  init(
    _ thread: ConnectionThread, _ queue: SubscriptionQueue,
    _ subscribe: @escaping @Sendable () throws(NATSError) -> SubscriptionHandle
  ) throws(NATSError) {
    let state = Locked(State())
    (self.state, self.thread, self.queue) = (state, thread, queue)
    try thread.add(bytes: 0) {
      guard !state.withLock({ $0.isCancelled }), let handle = try? subscribe() else { return }
      let isLate = state.withLock { state in
        if !state.isCancelled { state.handle = handle }
        return state.isCancelled
      }
      if isLate { handle.destroy() }
    }
  }

  deinit { cancel() }

  /// Messages that came faster than the handler took them, and were dropped.
  package var dropped: Int {
    state.withLock { $0.handle?.dropped ?? $0.dropped } + (queue?.dropped ?? 0)
  }

  /// Ends the reception, and forgets the messages that wait. A call of the handler that is under way ends later.
  package func cancel() {
    let handle = state.withLock { state in
      state.isCancelled = true
      state.dropped = state.handle?.dropped ?? state.dropped
      defer { state.handle = nil }
      return state.handle
    }
    queue?.cancel()
    if let handle { thread.addRelease { handle.destroy() } }
  }
}
