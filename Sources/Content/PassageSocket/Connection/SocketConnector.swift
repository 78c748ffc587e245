internal import TesseraHTTPClient
internal import TesseraThreads

/// Makes connections to a Socket.IO server: TCP, perhaps through a proxy, TLS, and the WebSocket's handshake.
struct SocketConnector: Sendable {
  let configuration: SocketConfiguration
  let settings: ConnectionSettings
  let budget: ServerEventBudget

  /// - Throws: `SocketError`, or `CancellationError` as soon as the task is cancelled.
  func connect() async throws -> SocketConnection {
    guard !settings.isOffline else { throw SocketError.http(.offline) }
    let address = configuration.address
    do {
      let proxy = address.isSecure ? try settings.proxies.proxy(for: HTTPSAddress(address.origin.canonical)) : nil
      let bytes = try ByteConnection(
        to: address.host, port: address.port, isSecure: address.isSecure, through: proxy, settings)
      let connection = SocketConnection(configuration, budget, over: bytes)
      try await connection.open()
      return connection
    } catch {
      // After a cancellation, other errors are its consequences.
      try Task.checkCancellation()
      throw SocketError(whileConnecting: error)
    }
  }
}

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
