internal import CTesseraNATS
internal import Glibc
internal import TesseraThreads

/// What a connection to the servers consists of: a connection of libnats, and after its loss another one.
///
/// libnats itself could connect again. It would then go on in the middle of the message during which the connection was
/// lost, since a loop of our own reads (`ConnectionLoop`), and wait without end for a server that says nothing.
final class ConnectionHandle: Sendable {
  private struct State {
    var library: LibraryConnection
    var isClosed = false
  }
  private let state: Locked<State>
  private let configuration: NATSConfiguration
  private let signature: NKeySignature?
  private let events: ConnectionEvents
  private let thread: ConnectionThread
  let subscriptions = SubscriptionTable()
  private let payloadLimit = Locked(0)
  private let onRenewal: @Sendable () -> Void

  /// Connects. Blocks.
  ///
  /// - Parameter onRenewal: called on each later connection before its subscriptions begin.
  /// - Throws: `NATSError.unreachable`, `.refused`, `.tls`, `.credentialsUnusable`, `.malformedAnswer`,
  ///   `.excessiveAnnouncement`, `.library`.
  init(
    _ configuration: NATSConfiguration, _ events: ConnectionEvents, _ thread: ConnectionThread,
    onRenewal: @escaping @Sendable () -> Void
  ) throws(NATSError) {
    signature = if case .seed(let file, _)? = configuration.credentials { NKeySignature(file: file) } else { nil }
    let library = try LibraryConnection.open(configuration, signature, events)
    state = Locked(State(library: library))
    (self.configuration, self.events, self.thread) = (configuration, events, thread)
    self.onRenewal = onRenewal
    updateMaximumPayload()
    library.link.onEnd { [events] in events.end(with: $0) }
    library.link.onLoss { [weak self] in self?.lose() }
  }

  private var library: LibraryConnection { state.withLock { $0.library } }

  private var isClosed: Bool { state.withLock { $0.isClosed } }

  /// The longest payload that the server accepted last, in bytes.
  var maximumPayload: Int { payloadLimit.withLock { $0 } }

  // MARK: - Loss

  private func lose() {
    guard !isClosed else { return }
    guard events.ending == nil else { return events.change(to: .closed) }
    events.change(to: .reconnecting)
    // A connection that nobody has any more ends, also without `close`.
    DetachedThread.start(name: "NATS reconnect") { [weak self] in
      var refusals = 0
      repeat {
        usleep(.random(in: Self.pause...2 * Self.pause) * 1000)
      } while self?.reconnects(&refusals) == false
      nats_ReleaseThreadMemory()
    }
  }

  /// Between two attempts to connect again, in milliseconds, plus up to as much again by chance, so that not all clients of
  /// a server come back at the same moment.
  private static let pause: UInt32 = 250
  /// A server that refuses the login may not know the key yet. After this number of refusals in turn it never will. The
  /// same holds for a server whose messages would be too long.
  private static let refusals = 2

  /// Tries once to connect again.
  ///
  /// - Parameter refusals: of the server so far, in turn.
  /// - Returns: Whether that was the last attempt.
  private func reconnects(_ refusals: inout Int) -> Bool {
    guard !isClosed else { return true }
    do throws(NATSError) {
      // Each has an end, and so there is one at a time.
      let library = try LibraryConnection.open(configuration, signature, events)
      thread.addRelease { [self] in adopt(library) }
      return true
    } catch {
      refusals = error == .refused || error.isAnswerOfServer ? refusals + 1 : 0
      guard refusals == Self.refusals else { return false }
      if error.isAnswerOfServer { events.end(with: error) }
      events.change(to: .closed)
      return true
    }
  }

  /// On the thread of the connection.
  private func adopt(_ library: LibraryConnection) {
    let isAdopted = state.withLock { state in
      if !state.isClosed { state.library = library }
      return !state.isClosed
    }
    guard isAdopted else { return }
    updateMaximumPayload()
    library.link.onEnd { [events] in events.end(with: $0) }
    onRenewal()
    subscriptions.renew(on: library.pointer)
    events.change(to: .connected)
    library.link.onLoss { [weak self] in self?.lose() }
  }

  // MARK: - Calls that wait for the lock of the connection, and thus for a write

  /// Another server, or another configuration of it, may accept another length.
  private func updateMaximumPayload() {
    let limit = Int(clamping: natsConnection_GetMaxPayload(library.pointer))
    payloadLimit.withLock { $0 = limit }
  }

  /// Writes a message to the socket. If the server does not read, this waits until the write deadline, and the
  /// connection is given up.
  ///
  /// - Throws: `NATSError.disconnected`, `.closed`, `.tooLarge`, `.library`.
  func publish(_ message: NATSMessage) throws(NATSError) {
    let library = try connected()
    let status = library.link.loop.send(bytes: message.size, within: configuration.writeDeadline) {
      message.withLibraryMessage { natsConnection_PublishMsg(library.pointer, $0) }
    }
    updateMaximumPayload()
    switch status {
    case NATS_OK: return
    case NATS_MAX_PAYLOAD: throw .tooLarge(limit: maximumPayload)
    case NATS_TIMEOUT, NATS_INSUFFICIENT_BUFFER: throw events.ending ?? .disconnected
    default: throw error(status)
    }
  }

  /// Begins a subscription of the table, on the connection that there is, and on each that follows.
  ///
  /// - Throws: `NATSError.closed`, `.library`.
  func begin(_ subscription: UInt64) throws(NATSError) {
    // If it is lost, the next one begins the subscription.
    do { try subscriptions.begin(subscription, on: library.pointer) } catch .closed, .disconnected { return }
  }

  /// Waits until the server has taken everything that was written.
  ///
  /// - Throws: `NATSError.timeout`, `.disconnected`, `.closed`, `.library`.
  func flush(within time: Duration) throws(NATSError) {
    // Not on the thread of the connection: another one can take the place of this one meanwhile.
    let library = try connected()
    let status = withExtendedLifetime(library) {
      natsConnection_FlushTimeout(library.pointer, time.libraryMilliseconds)
    }
    if status != NATS_OK { throw error(status) }
  }

  /// The identifier of the server that has this connection.
  ///
  /// - Throws: `NATSError.disconnected`, `.closed`, `.library`.
  func serverIdentifier() throws(NATSError) -> String {
    var text = [CChar](repeating: 0, count: 1024)
    let status = natsConnection_GetConnectedServerId(try connected().pointer, &text, text.count)
    if status != NATS_OK { throw error(status) }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Ends the connection; the object lives on.
  func close() {
    let library = state.withLock { state in
      state.isClosed = true
      return state.library
    }
    library.close()
  }

  private func connected() throws(NATSError) -> LibraryConnection {
    // What was published before the end is still sent.
    let library = library
    guard library.isConnected else { throw events.ending ?? .disconnected }
    return library
  }

  /// What libnats has closed is made again, unless this client ended it for a reason.
  private func error(_ status: natsStatus) -> NATSError {
    let error = NATSStatus.error(status)
    return error == .closed || error == .disconnected ? events.ending ?? .disconnected : error
  }
}
