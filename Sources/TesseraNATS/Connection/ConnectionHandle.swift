internal import CTesseraNATS
internal import TesseraThreads

/// A connection of libnats. It is destroyed with this object, so that no call can use it afterwards.
///
/// `@unchecked Sendable`: libnats locks each connection itself, so that any thread may use it.
final class ConnectionHandle: @unchecked Sendable {
  let pointer: OpaquePointer
  private let events: ConnectionEvents
  private let payloadLimit = Locked(0)

  init(_ pointer: OpaquePointer, _ events: ConnectionEvents) {
    self.pointer = pointer
    self.events = events
    updateMaximumPayload()
  }

  /// The longest payload that the server accepted last, in bytes.
  var maximumPayload: Int { payloadLimit.withLock { $0 } }

  /// Waits for the threads of the connection, so this may end on none of them, and not on a task's thread either.
  deinit {
    let connection = DestroyedConnection(pointer: pointer)
    DetachedThread.start(name: "NATS end") { [events] in
      natsConnection_Destroy(connection.pointer)
      events.unregister()
      nats_ReleaseThreadMemory()
    }
  }

  // MARK: - Calls that wait for the lock of the connection, and thus for a write

  /// Another server, or another configuration of it, may accept another length.
  func updateMaximumPayload() {
    let limit = Int(clamping: natsConnection_GetMaxPayload(pointer))
    payloadLimit.withLock { $0 = limit }
  }

  /// Writes a message to the socket. If the server does not read, this waits until the write deadline, and the
  /// connection is given up.
  ///
  /// - Throws: `NATSError.disconnected`, `.closed`, `.tooLarge`, `.library`.
  func publish(_ message: NATSMessage) throws(NATSError) {
    switch status {
    case .connected: break
    // libnats would keep it.
    case .reconnecting: throw .disconnected
    case .closed: throw .closed
    }
    let status = message.withLibraryMessage { natsConnection_PublishMsg(pointer, $0) }
    updateMaximumPayload()
    switch status {
    case NATS_OK: return
    case NATS_MAX_PAYLOAD: throw .tooLarge(limit: maximumPayload)
    // The write deadline is over, or the buffer for a lost connection is full.
    case NATS_TIMEOUT, NATS_INSUFFICIENT_BUFFER: throw .disconnected
    default: throw NATSStatus.error(status)
    }
  }

  /// Waits until the server has taken everything that was written.
  ///
  /// - Throws: `NATSError.timeout`, `.disconnected`, `.closed`, `.library`.
  func flush(within time: Duration) throws(NATSError) {
    // While there is no connection, libnats would wait for the whole time.
    if status == .reconnecting { throw .disconnected }
    try NATSStatus.check(natsConnection_FlushTimeout(pointer, time.libraryMilliseconds))
  }

  /// The identifier of the server that has this connection.
  ///
  /// - Throws: `NATSError.disconnected`, `.closed`, `.library`.
  func serverIdentifier() throws(NATSError) -> String {
    var text = [CChar](repeating: 0, count: 1024)
    try NATSStatus.check(natsConnection_GetConnectedServerId(pointer, &text, text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Ends the connection; the object lives on.
  func close() {
    natsConnection_Close(pointer)
    nats_ReleaseThreadMemory()
  }

  /// Whether the connection is usable at this moment.
  private var status: NATSConnectionState {
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
