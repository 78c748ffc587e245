internal import TesseraThreads

/// The subscriptions of a connection, each of which begins anew on each connection of libnats.
final class SubscriptionTable: Sendable {
  private struct Entry {
    let receiver: SubscriptionReceiver
    let subject: String
    let queue: String?
    /// nil before the beginning.
    var handle: SubscriptionHandle?
    /// What libnats had dropped on earlier connections.
    var dropped = 0
  }
  private struct State {
    var last: UInt64 = 0
    var entries: [UInt64: Entry] = [:]
  }
  private let state = Locked(State())

  /// Adds a subscription that has not begun.
  func add(_ receiver: SubscriptionReceiver, _ subject: String, queue: String?) -> UInt64 {
    state.withLock { state in
      state.last += 1
      state.entries[state.last] = Entry(receiver: receiver, subject: subject, queue: queue)
      return state.last
    }
  }

  /// Begins a subscription that was not removed. For one thread at a time.
  func begin(_ number: UInt64, on connection: OpaquePointer) throws(NATSError) {
    guard let entry = state.withLock({ $0.entries[number] }) else { return }
    let handle = try entry.receiver.subscribe(connection, entry.subject, queue: entry.queue)
    let old = state.withLock { state -> SubscriptionHandle? in
      // It was removed meanwhile.
      guard let entry = state.entries[number] else { return handle }
      state.entries[number]?.handle = handle
      state.entries[number]?.dropped += entry.handle?.dropped ?? 0
      return entry.handle
    }
    old?.destroy()
  }

  /// Begins all subscriptions on another connection.
  func renew(on connection: OpaquePointer) {
    // One that fails does so because this connection is lost already.
    for number in state.withLock({ $0.entries.keys.sorted() }) { try? begin(number, on: connection) }
  }

  /// - Returns: The messages that libnats dropped.
  func dropped(_ number: UInt64) -> Int {
    state.withLock { state in
      state.entries[number].map { $0.dropped + ($0.handle?.dropped ?? 0) } ?? 0
    }
  }

  /// - Returns: What the caller destroys, and what libnats had dropped.
  func remove(_ number: UInt64) -> (handle: SubscriptionHandle?, dropped: Int) {
    state.withLock { state in
      guard let entry = state.entries.removeValue(forKey: number) else { return (nil, 0) }
      return (entry.handle, entry.dropped + (entry.handle?.dropped ?? 0))
    }
  }
}

/// The reception of messages on one subject. It ends with `cancel()`, with the connection, and with this object.
package final class NATSSubscription: Sendable {
  private let number: UInt64
  private let table: SubscriptionTable
  private let thread: ConnectionThread
  /// nil if the handler is called directly.
  private let queue: SubscriptionQueue?
  /// What libnats had dropped at the end; nil before.
  private let droppedAtEnd = Locked<Int?>(nil)

  /// - Parameter number: of the subscription in the table.
  init(_ number: UInt64, in table: SubscriptionTable, _ thread: ConnectionThread, _ queue: SubscriptionQueue?) {
    (self.number, self.table, self.thread, self.queue) = (number, table, thread, queue)
  }

  deinit { cancel() }

  /// Messages that came faster than the handler took them, and were dropped.
  package var dropped: Int {
    (droppedAtEnd.withLock { $0 } ?? table.dropped(number)) + (queue?.dropped ?? 0)
  }

  /// Ends the reception, and waits until the handler has had the messages that arrived before: also those that another client
  /// sent before an answer that has arrived, since one thread of libnats hands out both.
  package func finish() async {
    endReception()
    await queue?.drain()
    queue?.cancel()
  }

  /// Ends the reception, and forgets the messages that wait. A call of the handler that is under way ends later.
  package func cancel() {
    endReception()
    queue?.cancel()
  }

  private func endReception() {
    let (handle, dropped) = table.remove(number)
    droppedAtEnd.withLock { $0 = $0 ?? dropped }
    if let handle { thread.addRelease { handle.destroy() } }
  }
}
