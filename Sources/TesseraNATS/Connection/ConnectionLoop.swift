internal import CTesseraNATS
internal import Dispatch
internal import Glibc
internal import TesseraThreads

/// The thread that reads and writes the socket of one connection.
///
/// libnats keeps a message, or a line of the protocol, until it is complete, whatever its length. With a loop of our own
/// (`natsOptions_SetEventLoop`) it reads a piece at a time, so that the connection can be ended between two of them.
final class ConnectionLoop: Sendable {
  private struct State {
    /// A duplicate of the socket of libnats, which closes its own at any time; -1 while there is none.
    var socket: Int32 = -1
    var librarySocket: Int32 = -1
    /// The number of sockets so far.
    var generation = 0
    /// Sockets that this thread may still use.
    var retired: [(socket: Int32, librarySocket: Int32)] = []
    /// Whether bytes wait to be written.
    var wantsWrite = false
    /// Whether the caller of `send` writes them, so that the thread need not wake up.
    var isSending = false
    /// Whether the caller of `send` waits until they are written.
    var isAwaited = false
    var isStopped = false
  }
  private let state = Locked(State())
  /// An eventfd, which interrupts `poll`.
  private let interruption = eventfd(0, O_CLOEXEC | O_NONBLOCK)
  private let written = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  /// Held by who writes: libnats takes a write of nothing for the end of the connection.
  private let writing = Locked(())

  deinit { if interruption >= 0 { Glibc.close(interruption) } }

  private func interrupt() { _ = eventfd_write(interruption, 1) }

  // MARK: - Thread

  /// Starts the thread of a connection that was made. `stop()` must be called before the connection is destroyed.
  ///
  /// - Parameter onExcess: called at the first message that is longer than the limit, which is then in bytes.
  func start(_ connection: ConnectionReference, onExcess: @escaping @Sendable (Int) -> Void) {
    DetachedThread.start(name: "NATS socket") { [self] in
      run(connection.pointer, onExcess)
      nats_ReleaseThreadMemory()
      ended.signal()
    }
  }

  /// Ends the thread, and waits for its end.
  func stop() {
    state.withLock { $0.isStopped = true }
    interrupt()
    ended.wait()
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
        natsConnection_ProcessReadEvent(connection)
        if let bytes = limit.excess(of: connection, socket, generation) {
          onExcess(bytes)
          natsConnection_Close(connection)
        }
      }
      if events & POLLOUT != 0 { write(connection) }
    }
  }

  /// - Returns: nil at the end.
  private func next() -> (socket: Int32, generation: Int, wantsWrite: Bool)? {
    let (next, retired) = state.withLock { state in
      defer { state.retired = [] }
      return (state.isStopped ? nil : (state.socket, state.generation, state.wantsWrite), state.retired)
    }
    for sockets in retired { Self.close(sockets) }
    return next
  }

  private static func close(_ sockets: (socket: Int32, librarySocket: Int32)) {
    Glibc.close(sockets.socket)
    tessera_nats_close_socket(sockets.librarySocket)
  }

  // MARK: - Writing

  /// Runs `body`, which hands a message to libnats, and waits until it is written.
  ///
  /// - Parameter limit: after which the connection is given up.
  /// - Returns: The status of `body`, or that the connection was lost before the message was written.
  func send(_ connection: OpaquePointer, within limit: Duration, _ body: () -> natsStatus) -> natsStatus {
    let generation = state.withLock { state in
      state.isSending = true
      return state.generation
    }
    let status = body()
    state.withLock { $0.isSending = false }
    write(connection)
    guard status == NATS_OK else { return status }
    return awaitWritten(generation, within: limit) ? NATS_OK : NATS_CONNECTION_DISCONNECTED
  }

  private func write(_ connection: OpaquePointer) {
    writing.withLock { _ in
      guard state.withLock({ $0.wantsWrite }) else { return }
      natsConnection_ProcessWriteEvent(connection)
    }
  }

  private func awaitWritten(_ generation: Int, within limit: Duration) -> Bool {
    let end = DispatchTime.now() + .milliseconds(Int(limit.libraryMilliseconds))
    while true {
      let isWritten = state.withLock { state -> Bool? in
        guard state.socket >= 0, state.generation == generation else { return false }
        state.isAwaited = state.wantsWrite
        return state.wantsWrite ? nil : true
      }
      if let isWritten { return isWritten }
      interrupt()
      if written.wait(timeout: end) == .timedOut {
        state.withLock { state in
          state.isAwaited = false
          if state.generation == generation, state.socket >= 0 { shutdown(state.socket, Int32(SHUT_RDWR)) }
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
    state.withLock { state in
      (state.socket, state.librarySocket) = (socket, librarySocket)
      state.generation += 1
    }
    interrupt()
    return NATS_OK
  }

  /// The connection does not use its socket any more.
  private func detach() {
    let (closed, wakes) = state.withLock { state in
      let sockets = (state.socket, state.librarySocket)
      let wakes = state.isAwaited
      (state.socket, state.librarySocket) = (-1, -1)
      (state.wantsWrite, state.isAwaited) = (false, false)
      guard sockets.0 >= 0 else { return (nil as (Int32, Int32)?, wakes) }
      // No thread polls it any more.
      if state.isStopped { return (sockets, wakes) }
      state.retired.append(sockets)
      return (nil, wakes)
    }
    if let closed { Self.close(closed) }
    if wakes { written.signal() }
    interrupt()
  }

  private func setWriting(_ isWanted: Bool) {
    let (wakes, interrupts) = state.withLock { state in
      let wakes = !isWanted && state.isAwaited
      if wakes { state.isAwaited = false }
      state.wantsWrite = isWanted
      return (wakes, isWanted && !state.isSending)
    }
    if wakes { written.signal() }
    if interrupts { interrupt() }
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
