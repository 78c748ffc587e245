internal import CTesseraNATS
internal import Glibc
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
        if signature?.isUnwanted == true { throw .keyNotWanted }
        throw NATSStatus.connectError(status, isTLS: configuration.servers.contains(where: \.isTLS))
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

/// Signs the logins of one connection with the seed in a file.
///
/// libnats 3.4 does not send a signature whose first byte is zero: one of 256. The server refuses such a login, and
/// after two refusals libnats gives the connection up for good. So such a login is broken off here instead; the next
/// one is about another text. The seed is read for each login, and is in memory only then.
final class NKeySignature: Sendable {
  private let file: String
  private let breaks = Locked(0)
  private let hasNoText = Locked(false)

  init(file: String) {
    self.file = file
    // The first call of the library makes tables that reading a seed needs.
    nats_Open(-1)
  }

  /// How many logins were broken off.
  var brokenOff: Int { breaks.withLock { $0 } }

  /// Whether the last server asked for no signature, so that there was nothing to sign.
  var isUnwanted: Bool { hasNoText.withLock { $0 } }

  /// Whether the file can be read.
  var isReadable: Bool { access(file, R_OK) == 0 }

  /// The signature, which the caller frees.
  ///
  /// - Parameter text: nil if the server asks for none.
  func sign(_ text: UnsafePointer<CChar>?) -> (bytes: UnsafeMutablePointer<UInt8>, count: Int32)? {
    var signature: UnsafeMutablePointer<UInt8>?
    var count: Int32 = 0
    let text = text.flatMap { $0.pointee == 0 ? nil : $0 }
    hasNoText.withLock { $0 = text == nil }
    guard let text else { return nil }
    guard withSeed({ nats_Sign($0, text, &signature, &count) }) == NATS_OK, let signature else { return nil }
    guard count > 0, signature.pointee != 0 else {
      free(signature)
      breaks.withLock { $0 += 1 }
      return nil
    }
    return (signature, count)
  }

  /// A seed is 58 characters.
  private static let maximumSize = 256

  /// Passes the text of the seed to `body`, and overwrites it.
  private func withSeed(_ body: (UnsafePointer<CChar>) -> natsStatus) -> natsStatus? {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.maximumSize + 1) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      buffer.initialize(repeating: 0)
      defer { explicit_bzero(start, buffer.count) }
      var length = read(descriptor, start, Self.maximumSize)
      while length > 0, isspace(Int32(start[length - 1])) != 0 {
        length -= 1
        start[length] = 0
      }
      // Some editors begin a file with a byte order mark.
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      let isMarked = length >= mark.count && mark.indices.allSatisfy { UInt8(bitPattern: start[$0]) == mark[$0] }
      return length > 0 ? body(isMarked ? start + mark.count : start) : nil
    }
  }
}
