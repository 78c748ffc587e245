internal import TesseraThreads

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

  /// Ends the reception, and forgets the messages that wait. A call of the handler that is under way ends later.
  package func cancel() {
    let (handle, dropped) = table.remove(number)
    droppedAtEnd.withLock { $0 = $0 ?? dropped }
    queue?.cancel()
    if let handle { thread.addRelease { handle.destroy() } }
  }
}
