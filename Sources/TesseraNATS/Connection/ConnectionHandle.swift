internal import CTesseraNATS
internal import TesseraThreads

/// A connection of libnats. It is destroyed with this object, so that no call can use it afterwards.
///
/// `@unchecked Sendable`: libnats locks each connection itself, so that any thread may use it.
final class ConnectionHandle: @unchecked Sendable {
  let pointer: OpaquePointer
  private let events: ConnectionEvents

  init(_ pointer: OpaquePointer, _ events: ConnectionEvents) {
    self.pointer = pointer
    self.events = events
  }

  /// Waits for the threads of the connection, so this may end on none of them, and not on a task's thread either.
  deinit {
    let connection = DestroyedConnection(pointer: pointer)
    DetachedThread.start(name: "NATS end") { [events] in
      natsConnection_Destroy(connection.pointer)
      events.unregister()
      nats_ReleaseThreadMemory()
    }
  }

  /// Ends the connection; the object lives on. Blocks.
  func close() {
    natsConnection_Close(pointer)
    nats_ReleaseThreadMemory()
  }

  /// Whether the connection is usable at this moment.
  var status: NATSConnectionState {
    switch natsConnection_Status(pointer) {
    case NATS_CONN_STATUS_CONNECTED: .connected
    case NATS_CONN_STATUS_CLOSED, NATS_CONN_STATUS_DRAINING_SUBS, NATS_CONN_STATUS_DRAINING_PUBS: .closed
    default: .reconnecting
    }
  }
}

/// `@unchecked Sendable`: only one thread has it.
private struct DestroyedConnection: @unchecked Sendable {
  let pointer: OpaquePointer
}
