internal import Dispatch
internal import TesseraThreads

/// The messages of one subscription that wait for its handler: a limited number.
///
/// One thread of libnats hands out the messages of all connections of this process. A handler that takes its time holds
/// up its own subscription only, since it runs on a queue of its own.
final class SubscriptionQueue: Sendable {
  private struct State {
    /// From `first` on. A message that was taken is nil.
    var messages: [NATSMessage?] = []
    var first = 0
    var bytes = 0
    var isDelivering = false
    var isOverrun = false
    var isCancelled = false
    var dropped = 0

    var count: Int { messages.count - first }

    mutating func takeFirst() -> NATSMessage? {
      guard count > 0, let message = messages[first] else { return nil }
      messages[first] = nil
      first += 1
      bytes -= message.payload.count
      if first == messages.count {
        messages.removeAll(keepingCapacity: messages.count <= 64)
        first = 0
      } else if first >= 1024, first * 2 >= messages.count {
        messages.removeFirst(first)
        first = 0
      }
      return message
    }
  }
  private let state = Locked(State())
  private let limit: Int
  private let queue = DispatchQueue(label: "NATS subscription")
  private let handler: @Sendable (NATSMessage) -> Void
  private let onOverrun: @Sendable () -> Void

  /// The bytes of payload that may wait, whatever their number: a message can have a megabyte.
  static let maximumBytes = 64 << 20

  init(
    limit: Int, onOverrun: @escaping @Sendable () -> Void, handler: @escaping @Sendable (NATSMessage) -> Void
  ) {
    self.limit = max(1, limit)
    self.onOverrun = onOverrun
    self.handler = handler
  }

  var dropped: Int { state.withLock { $0.dropped } }

  /// Adds a message, or drops it if too many wait.
  func receive(_ message: NATSMessage) {
    let (starts, overruns) = state.withLock { state -> (Bool, Bool) in
      guard !state.isCancelled else { return (false, false) }
      guard state.count < limit, state.bytes + message.payload.count <= Self.maximumBytes || state.count == 0 else {
        state.dropped += 1
        defer { state.isOverrun = true }
        return (false, !state.isOverrun)
      }
      state.messages.append(message)
      state.bytes += message.payload.count
      defer { state.isDelivering = true }
      return (!state.isDelivering, false)
    }
    if overruns { onOverrun() }
    if starts { queue.async { [self] in deliver() } }
  }

  private func deliver() {
    while true {
      let message = state.withLock { state -> NATSMessage? in
        if let message = state.takeFirst() { return message }
        state.isDelivering = false
        state.isOverrun = false
        return nil
      }
      guard let message else { return }
      handler(message)
    }
  }

  /// Waits until the handler has had the messages that arrived before.
  func drain() async { await withCheckedContinuation { end in queue.async { end.resume() } } }

  /// Forgets what waits. A call of the handler that is under way ends later.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      (state.messages, state.first, state.bytes) = ([], 0, 0)
    }
  }
}
