/// The events of a client in their order, until it has ended. One task may read them.
///
/// Events that are not read count against `SocketConfiguration.Limits.unreadEvents` and `unreadBytes`.
package struct SocketClientEvents: AsyncSequence, Sendable {
  typealias Item = (event: SocketClientEvent, bytes: Int?)

  private let stream: AsyncStream<Item>
  private let budget: ServerEventBudget

  init(_ stream: AsyncStream<Item>, _ budget: ServerEventBudget) {
    self.stream = stream
    self.budget = budget
  }

  package func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator(), budget: budget) }

  package struct Iterator: AsyncIteratorProtocol {
    private var base: AsyncStream<Item>.Iterator
    private let budget: ServerEventBudget

    fileprivate init(base: AsyncStream<Item>.Iterator, budget: ServerEventBudget) {
      self.base = base
      self.budget = budget
    }

    /// - Returns: nil after the last event, or when the task is cancelled.
    package mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> SocketClientEvent? {
      guard let item = await base.next(isolation: actor) else { return nil }
      if let bytes = item.bytes { budget.release(bytes) }
      return item.event
    }
  }
}
