internal import TesseraThreads

/// The reception of messages on one subject. It ends with `cancel()`, with the connection, and with this object.
package final class NATSSubscription: Sendable {
  private struct State {
    /// nil after the end.
    var handle: SubscriptionHandle?
    /// What libnats had dropped at the end.
    var dropped = 0
  }
  private let state: Locked<State>
  /// nil if the handler is called directly.
  private let queue: SubscriptionQueue?

  init(_ handle: SubscriptionHandle, _ queue: SubscriptionQueue?) {
    state = Locked(State(handle: handle))
    self.queue = queue
  }

  deinit { cancel() }

  /// Messages that came faster than the handler took them, and were dropped.
  package var dropped: Int {
    state.withLock { $0.handle?.dropped ?? $0.dropped } + (queue?.dropped ?? 0)
  }

  /// Ends the reception, and forgets the messages that wait. A call of the handler that is under way ends later.
  package func cancel() {
    let handle = state.withLock { state in
      state.dropped = state.handle?.dropped ?? state.dropped
      defer { state.handle = nil }
      return state.handle
    }
    queue?.cancel()
    handle?.destroy()
  }
}
