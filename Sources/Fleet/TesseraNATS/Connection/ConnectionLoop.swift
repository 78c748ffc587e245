internal import CTesseraNATS
internal import Dispatch
internal import Glibc
internal import TesseraThreads

/// The thread that reads, writes and closes the socket of one connection.
///
/// libnats keeps a message, or a line of the protocol, until it is complete, whatever its length. With a loop of our own
/// (`natsOptions_SetEventLoop`) it reads a piece at a time, so that the connection can be ended between two of them.
///
/// libnats 3.4 reads without the lock of the connection. So no other thread may write to the socket or close it: a failed
/// write closes it, too. The others shut it down, which the thread then notices.
final class ConnectionLoop: Sendable {
  private struct State {
    /// A duplicate of the socket of libnats, for the other threads; -1 while there is none.
    var socket: Int32 = -1
    var librarySocket: Int32 = -1
    /// The number of sockets so far.
    var generation = 0
    /// Since when bytes wait to be written; nil if none do.
    var writeStart: ContinuousClock.Instant?
    /// Since when libnats reads; nil if it does not.
    var readStart: ContinuousClock.Instant?
    /// The bytes of the message that `send` waits for.
    var sending = 0
    /// Whether the caller of `send` waits until they are written.
    var isAwaited = false
    var isStopped = false

    func shutDown() { if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) } }
  }
  private let state = Locked(State())
  /// An eventfd, which interrupts `poll`.
  private let interruption = eventfd(0, O_CLOEXEC | O_NONBLOCK)
  private let written = DispatchSemaphore(value: 0)
  /// Ends the pause between two questions for a sign of life.
  private let stopped = DispatchSemaphore(value: 0)
  private let threads = DispatchGroup()

  /// What may wait to be written besides a message: answers to the server's questions, and subscriptions.
  private static let mostWaiting = 1 << 20

  deinit { if interruption >= 0 { Glibc.close(interruption) } }

  private func interrupt() { _ = eventfd_write(interruption, 1) }

  // MARK: - Threads

  /// Starts the threads of a connection that was made. `stop()` must be called before the connection is destroyed.
  ///
  /// - Parameter onExcess: called at the first message that is longer than the limit, which is then in bytes.
  func start(
    _ connection: ConnectionReference, _ configuration: NATSConfiguration, onExcess: @escaping @Sendable (Int) -> Void
  ) {
    threads.enter()
    DetachedThread.start(name: "NATS socket") { [self] in
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.setEventHandler { [weak self] in self?.shutDownIfLate(configuration) }
      timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1), leeway: .milliseconds(200))
      timer.activate()
      run(connection.pointer, onExcess)
      timer.cancel()
      nats_ReleaseThreadMemory()
      threads.leave()
    }
    threads.enter()
    DetachedThread.start(name: "NATS life") { [self] in
      awaitSigns(connection.pointer, within: configuration.lifeLimit.libraryMilliseconds)
      nats_ReleaseThreadMemory()
      threads.leave()
    }
  }

  /// Closes the connection, ends the threads, and waits for their end. Further calls do nothing.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      // libnats itself would wait without end for the rest of a piece of TLS.
      state.shutDown()
    }
    interrupt()
    stopped.signal()
    threads.wait()
  }

  private func run(_ connection: OpaquePointer, _ onExcess: (Int) -> Void) {
    var limit = ReceptionLimit()
    while let (socket, generation, wantsWrite) = next() {
      var polled = [
        pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
        pollfd(fd: socket, events: Int16(POLLIN | (wantsWrite ? POLLOUT : 0)), revents: 0),
      ]
      guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
      if polled[0].revents != 0 {
        var count = eventfd_t()
        eventfd_read(interruption, &count)
      }
      let events = Int32(polled[1].revents)
      if events & (POLLIN | POLLHUP | POLLERR) != 0 {
        read(connection)
        if let bytes = limit.excess(of: connection, socket, generation) {
          onExcess(bytes)
          natsConnection_Close(connection)
        } else if wantsWrite, isOverfull(connection) {
          natsConnection_Close(connection)
        }
      }
      if events & POLLOUT != 0 { natsConnection_ProcessWriteEvent(connection) }
    }
    natsConnection_Close(connection)
  }

  /// - Returns: nil at the end.
  private func next() -> (socket: Int32, generation: Int, wantsWrite: Bool)? {
    state.withLock { $0.isStopped ? nil : ($0.socket, $0.generation, $0.writeStart != nil) }
  }

  private func read(_ connection: OpaquePointer) {
    state.withLock { $0.readStart = .now }
    natsConnection_ProcessReadEvent(connection)
    state.withLock { $0.readStart = nil }
  }

  /// Whether a server that does not read has asked for more answers than may wait.
  private func isOverfull(_ connection: OpaquePointer) -> Bool {
    // In this order: what is being sent leaves the buffer on this thread only.
    let waiting = Int(natsConnection_Buffered(connection))
    return waiting > state.withLock { $0.sending } + Self.mostWaiting
  }

  // MARK: - Watch

  /// Ends a read in which libnats waits for the rest of a piece of TLS, and a connection whose server does not read. Takes no
  /// lock of libnats, since a write can hold it.
  private func shutDownIfLate(_ configuration: NATSConfiguration) {
    let now = ContinuousClock.now
    state.withLock { state in
      let reads = state.readStart.map { now - $0 > configuration.lifeLimit } ?? false
      let writes = state.writeStart.map { now - $0 > configuration.writeDeadline } ?? false
      if reads || writes { state.shutDown() }
    }
  }

  /// Asks the server for signs of life until the connection is closed, or one is missing. The timer of libnats would close
  /// the connection on a thread of its own.
  private func awaitSigns(_ connection: OpaquePointer, within limit: Int64) {
    let third = max(1, limit / 3)
    while stopped.wait(timeout: .now() + .milliseconds(Int(third))) == .timedOut {
      guard natsConnection_FlushTimeout(connection, 2 * third) == NATS_OK else { break }
    }
    state.withLock { $0.shutDown() }
  }

  // MARK: - Writing

  /// Runs `body`, which hands a message to libnats, and waits until it is written. For one thread at a time.
  ///
  /// - Parameters:
  ///   - bytes: about those of the message.
  ///   - limit: after which the connection is given up.
  /// - Returns: The status of `body`, or that the connection was lost before the message was written.
  func send(bytes: Int, within limit: Duration, _ body: () -> natsStatus) -> natsStatus {
    let generation = state.withLock { state in
      state.sending = bytes
      return state.generation
    }
    defer { state.withLock { $0.sending = 0 } }
    let status = body()
    guard status == NATS_OK else { return status }
    return awaitWritten(generation, within: limit) ? NATS_OK : NATS_CONNECTION_DISCONNECTED
  }

  private func awaitWritten(_ generation: Int, within limit: Duration) -> Bool {
    let end = DispatchTime.now() + .milliseconds(Int(limit.libraryMilliseconds))
    while true {
      let isWritten = state.withLock { state -> Bool? in
        guard state.socket >= 0, state.generation == generation else { return false }
        state.isAwaited = state.writeStart != nil
        return state.isAwaited ? nil : true
      }
      if let isWritten { return isWritten }
      if written.wait(timeout: end) == .timedOut {
        state.withLock { state in
          state.isAwaited = false
          if state.generation == generation { state.shutDown() }
        }
        return false
      }
    }
  }

  // MARK: - Callbacks, under the lock of the connection

  /// A connection begins to use this socket.
  private func attach(_ librarySocket: Int32) -> natsStatus {
    let socket = fcntl(librarySocket, F_DUPFD_CLOEXEC, 0)
    guard socket >= 0, interruption >= 0 else {
      if socket >= 0 { Glibc.close(socket) }
      return NATS_SYS_ERROR
    }
    detach()
    ConnectLimit.exempt(socket)
    state.withLock { state in
      (state.socket, state.librarySocket) = (socket, librarySocket)
      state.generation += 1
      if state.isStopped { state.shutDown() }
    }
    interrupt()
    return NATS_OK
  }

  /// The connection does not use its socket any more. On the thread, so that it does not poll the socket.
  private func detach() {
    let (socket, librarySocket, wakes) = state.withLock { state in
      defer {
        (state.socket, state.librarySocket) = (-1, -1)
        (state.writeStart, state.isAwaited) = (nil, false)
      }
      return (state.socket, state.librarySocket, state.isAwaited)
    }
    if socket >= 0 {
      ConnectLimit.forget(socket)
      Glibc.close(socket)
      tessera_nats_close_socket(librarySocket)
    }
    if wakes { written.signal() }
  }

  private func setWriting(_ isWanted: Bool) {
    let wakes = state.withLock { state in
      state.writeStart = isWanted ? state.writeStart ?? .now : nil
      defer { if !isWanted { state.isAwaited = false } }
      return !isWanted && state.isAwaited
    }
    if wakes { written.signal() }
    if isWanted { interrupt() }
  }

  /// - Parameter number: of the link whose loop this is.
  static func register(_ number: UnsafeMutableRawPointer?, in options: OpaquePointer) -> natsStatus {
    natsOptions_SetEventLoop(
      options, number,
      { data, number, _, socket in
        data?.pointee = number
        return ConnectionLink.object(number)?.loop.attach(socket) ?? NATS_ERR
      },
      { number, isAdded in
        if !isAdded { ConnectionLink.object(number)?.loop.detach() }
        return NATS_OK
      },
      { number, isAdded in
        ConnectionLink.object(number)?.loop.setWriting(isAdded)
        return NATS_OK
      },
      { number in
        ConnectionLink.object(number)?.loop.detach()
        return NATS_OK
      })
  }
}
