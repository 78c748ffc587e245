internal import CTesseraNATS
internal import TesseraThreads

/// A connection of libnats, from its beginning to its loss. It is destroyed with this object, so that no call can use it
/// afterwards.
///
/// `@unchecked Sendable`: libnats locks each connection itself, but for reading its socket (3.4). So the thread of
/// `ConnectionLoop` alone reads, writes and closes; all other calls may come from any thread.
final class LibraryConnection: @unchecked Sendable {
  let pointer: OpaquePointer
  let link: ConnectionLink

  private init(_ pointer: OpaquePointer, _ link: ConnectionLink, _ configuration: NATSConfiguration) {
    (self.pointer, self.link) = (pointer, link)
    link.loop.start(ConnectionReference(pointer: pointer), configuration) { [weak link] limit in
      link?.end(with: .excessiveMessage(limit: limit))
    }
  }

  /// Waits for the threads of the connection, so this may end on none of them, and not on a task's thread either.
  deinit {
    let connection = ConnectionReference(pointer: pointer)
    DetachedThread.start(name: "NATS end") { [link] in
      link.loop.stop()
      natsConnection_Destroy(connection.pointer)
      link.unregister()
      nats_ReleaseThreadMemory()
    }
  }

  /// A login with a JWT can fail although it is right: libnats sends no signature whose first byte is zero, one of 256.
  /// With a seed, `NKeySignature` knows when this happens.
  private static let attempts = 4

  /// Connects to the first server that accepts the login. Blocks.
  ///
  /// - Throws: those of `NATSConnection.connect`.
  static func open(
    _ configuration: NATSConfiguration, _ signature: NKeySignature?, _ events: ConnectionEvents
  ) throws(NATSError) -> LibraryConnection {
    let library = try connect(configuration, signature, events)
    guard natsConnection_GetMaxPayload(library.pointer) <= Int64(ReceptionLimit.most) else {
      throw .excessiveAnnouncement(limit: ReceptionLimit.most)
    }
    return library
  }

  private static func connect(
    _ configuration: NATSConfiguration, _ signature: NKeySignature?, _ events: ConnectionEvents
  ) throws(NATSError) -> LibraryConnection {
    let link = ConnectionLink(events, signature: signature)
    do {
      return try ConnectionOptions.with(configuration, link) { options throws(NATSError) in
        var status = NATS_OK
        for _ in 0..<Self.attempts {
          let brokenOff = signature?.brokenOff ?? 0
          var connection: OpaquePointer?
          let isExceeded: Bool
          (status, isExceeded) = ConnectLimit.with(configuration) { natsConnection_Connect(&connection, options) }
          if status == NATS_OK, let connection { return LibraryConnection(connection, link, configuration) }
          if isExceeded { throw .unreachable }
          let mayBeSignature =
            signature.map { $0.brokenOff > brokenOff }
            ?? (configuration.credentials != nil && status == NATS_CONNECTION_AUTH_FAILED)
          guard mayBeSignature else { break }
        }
        throw NATSStatus.connectError(status)
      }
    } catch {
      link.unregister()
      throw error
    }
  }

  /// Whether the connection is usable at this moment.
  var isConnected: Bool { natsConnection_Status(pointer) == NATS_CONN_STATUS_CONNECTED }

  /// Ends the connection; the object lives on.
  func close() { link.loop.stop() }
}

/// `@unchecked Sendable`: the same. Who has it keeps the connection from being destroyed, or is what destroys it.
struct ConnectionReference: @unchecked Sendable {
  let pointer: OpaquePointer
}
