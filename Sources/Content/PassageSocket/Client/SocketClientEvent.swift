/// What happens to a `SocketClient`, in its order.
package enum SocketClientEvent: Sendable, Equatable {
  /// There is a connection, and the server let the client join the namespace.
  case connected(SocketSession)
  /// The server sent an event.
  case received(SocketMessage)
  /// The connection was lost, or an attempt to connect has failed. The client connects again after the time.
  ///
  /// - Parameter attempt: the number of that attempt since the last connection: 1 for the first.
  case disconnected(SocketError, attempt: Int, wait: Duration)
  /// The client has ended, and does not connect again: for this reason, or because it was closed. This is the last event.
  case ended(SocketError?)
}

/// One connection, as the server describes it.
package struct SocketSession: Sendable, Equatable {
  /// The connections of the client, with this one: 1 for the first.
  package let number: Int
  /// What the server calls this client in the namespace. Each connection has another one.
  package let identifier: String
  /// The handshake of Engine.IO.
  package let handshake: EngineHandshake
}

/// An event of the server.
package struct SocketMessage: Sendable, Equatable {
  package let event: SocketEvent
  /// What `SocketClient.acknowledge` takes; nil if the server does not wait for an acknowledgement.
  package let acknowledgement: AcknowledgementRequest?
}

/// The server's wish that an event be acknowledged. It ends with the connection.
package struct AcknowledgementRequest: Sendable, Hashable {
  /// The number of the connection.
  let connection: Int
  let identifier: AcknowledgementIdentifier
}

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
