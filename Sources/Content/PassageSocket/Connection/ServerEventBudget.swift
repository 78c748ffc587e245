internal import TesseraThreads

/// Counts the events of the server that nobody has read yet, over all connections of a client.
final class ServerEventBudget: Sendable {
  private let limits: SocketConfiguration.Limits
  private let unread = Locked((events: 0, bytes: 0))

  init(_ limits: SocketConfiguration.Limits) { self.limits = limits }

  /// Counts an event.
  ///
  /// - Parameter bytes: the length of its text.
  /// - Returns: False if there are too many; it is not counted then.
  func reserve(_ bytes: Int) -> Bool {
    unread.withLock { unread in
      guard unread.events < limits.unreadEvents, bytes <= limits.unreadBytes - unread.bytes else { return false }
      unread.events += 1
      unread.bytes += bytes
      return true
    }
  }

  func release(_ bytes: Int) {
    unread.withLock { unread in
      unread.events -= 1
      unread.bytes -= bytes
    }
  }
}
