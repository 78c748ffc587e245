internal import CTesseraPCSC
import FoundationEssentials
import Glibc
import Synchronization
import TesseraSmartCard
import TesseraThreads

/// A PC/SC context (`SCARDCONTEXT`) with a dedicated thread, on which all calls that may block run. Cancelling the
/// waiting task ends a wait at once. While one task waits for a change, other calls of the same context wait too: use
/// two contexts to do both.
package actor PCSCContext {
  /// Established by the first call, since establishing may block.
  private var established: SCARDCONTEXT?
  /// The connections that are open.
  private var connections: Set<SCARDHANDLE> = []
  /// Large enough for the longest response: 65 536 bytes and a status word.
  private var responseBuffer = [UInt8](repeating: 0, count: 65_538)
  /// The reader to which a connection is being opened: another program may have a transaction with its card.
  nonisolated let awaited = Locked<String?>(nil)
  private nonisolated let executor = ThreadExecutor(name: "pcsc")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let answerTimeout: Duration

  /// - Parameter answerTimeout: How long a card may take to answer one command.
  package init(answerTimeout: Duration = .seconds(20)) { self.answerTimeout = answerTimeout }

  deinit {
    // On another thread, since the service may hang.
    if let established { DetachedThread.start(name: "pcsc release") { SCardReleaseContext(established) } }
    executor.stop()
  }

  /// Ends the session with the service; the next call starts another one. A session is invalid after the service has
  /// ended. One that is released in `deinit` may be released while the process exits, when libpcsclite has freed its
  /// list of them.
  func release() {
    guard let established else { return }
    SCardReleaseContext(established)
    self.established = nil
  }

  private static let repetitionsOfRefusal = 3

  /// - Throws: `CardError.serviceUnavailable` if pcscd does not run; `.accessDenied` if it refuses this user.
  private func context() throws(CardError) -> SCARDCONTEXT {
    if let established { return established }
    var context = SCARDCONTEXT()
    var status = PCSCStatus(SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &context))
    let first = status
    // If the service ended, the next attempt finds none.
    for _ in 0..<Self.repetitionsOfRefusal where status == .securityViolation {
      usleep(100_000)
      status = PCSCStatus(SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &context))
    }
    guard status == .success else {
      let isListening = LocalSocket.connect(PCSCService.socket) == .connected
      // A daemon that refuses several times within half a second answers the last ones as if there were none.
      let decisive = isListening && first == .securityViolation ? first : status
      throw decisive.sessionError(isListening: isListening, PCSCService.current)
    }
    established = context
    return context
  }

  /// The readers that are connected and the cards in them.
  package func readers() throws(CardError) -> [CardReader] {
    for _ in 0..<3 {
      let names = try readerNames()
      guard !names.isEmpty else { return [] }
      let (status, states) = Self.statusChange(
        try context(), timeout: 0, names.map { ($0, DWORD(SCARD_STATE_UNAWARE)) })
      switch status {
      case .success, .timeout: return states
      case .unknownReader: continue  // unplugged between the two calls
      default: throw status.error("SCardGetStatusChange")
      }
    }
    throw PCSCStatus.unknownReader.error("SCardGetStatusChange")
  }

  /// Waits until the readers or their cards change, without polling.
  ///
  /// - Parameters:
  ///   - known: An earlier result of this context.
  ///   - deadline: The end of the wait; nil to wait without a limit.
  /// - Returns: The new state; `known` if the deadline was reached.
  /// - Throws: `CancellationError` at once when the task is cancelled.
  package func change(from known: [CardReader], until deadline: ContinuousClock.Instant?) async throws -> [CardReader] {
    while true {
      try Task.checkCancellation()
      let plugCounter = try plugCounter()
      // A reader that was connected or removed before the wait began would not end the wait.
      guard try readerNames() == known.map(\.name) else { return try readers() }
      let remaining = deadline.map { ContinuousClock.now.duration(to: $0) }
      if let remaining, remaining <= .zero { return known }
      let status = try await wait(known, plugCounter, remaining)
      switch status {
      case .success, .unknownReader, .noReadersAvailable:
        let now = try readers()
        if now != known || now.map(\.eventState) != known.map(\.eventState) { return now }
      case .timeout: return known
      case .cancelled: try Task.checkCancellation()
      default: throw status.error("SCardGetStatusChange")
      }
    }
  }

  /// The pseudo reader that reports the connection and removal of readers.
  private static let plugAndPlay = #"\\?PnP?\Notification"#

  /// The number of connections and removals so far, in the upper half of the pseudo reader's state. A wait that starts
  /// from this number misses none. Zero with older services, which do not count.
  private func plugCounter() throws(CardError) -> DWORD {
    let (_, states) = Self.statusChange(
      try context(), timeout: 0, [(Self.plugAndPlay, DWORD(SCARD_STATE_UNAWARE))])
    return DWORD(states.first?.eventState ?? 0) & 0xFFFF_0000
  }

  private func wait(_ known: [CardReader], _ plugCounter: DWORD, _ timeout: Duration?) async throws -> PCSCStatus {
    let milliseconds = timeout.map { DWORD(clamping: max(1, $0.milliseconds)) } ?? DWORD(INFINITE)
    var waited = known.map { ($0.name, DWORD($0.eventState) & ~DWORD(SCARD_STATE_CHANGED)) }
    // The service has no place for more readers than one wait has entries: with so many, none can be added.
    if waited.count < Int(PCSCLITE_MAX_READERS_CONTEXTS) { waited.append((Self.plugAndPlay, plugCounter)) }
    let wait = CancellableWait()
    let context = try context()
    let recheck = plugCounter == 0 ? Self.recheck(afterBeginOf: wait, known.map(\.name), context) : nil
    defer { recheck?.cancel() }
    return await withTaskCancellationHandler {
      block(in: wait, context, milliseconds, waited)
    } onCancel: {
      wait.interrupt { SCardCancel(context) }
    }
  }

  /// Isolated to this actor, so that the call blocks the actor's thread. The closure above would run on the shared pool
  /// if it used nothing of the actor, and two waits would block all threads of a small machine.
  private func block(
    in wait: CancellableWait, _ context: SCARDCONTEXT, _ milliseconds: DWORD, _ readers: [(String, DWORD)]
  ) -> PCSCStatus {
    guard wait.begin() else { return .cancelled }
    defer { wait.end() }
    return Self.statusChange(context, timeout: milliseconds, readers).status
  }

  /// Ends the wait if the readers changed while it was starting, which a service without a counter does not notice.
  /// Another context checks twice: when the wait has started on most machines, and when it has on a slow one.
  private static func recheck(
    afterBeginOf wait: CancellableWait, _ names: [String], _ context: SCARDCONTEXT
  ) -> Task<Void, Never> {
    Task.detached {
      for pause in [Duration.milliseconds(200), .seconds(3)] {
        guard (try? await Task.sleep(for: pause)) != nil else { return }
        let other = PCSCContext()
        let now = try? await other.readerNames()
        await other.release()
        guard let now, now != names else { continue }
        return wait.interrupt { SCardCancel(context) }
      }
    }
  }

  /// The names of the readers, in the service's order.
  private func readerNames() throws(CardError) -> [String] {
    let context = try context()
    while true {
      var length = DWORD(0)
      var status = PCSCStatus(SCardListReaders(context, nil, nil, &length))
      guard status == .success, length > 0 else {
        if status == .noReadersAvailable || status == .success { return [] }
        throw status.error("SCardListReaders")
      }
      var buffer = [CChar](repeating: 0, count: Int(length))
      status = PCSCStatus(SCardListReaders(context, nil, &buffer, &length))
      // A reader was plugged in between the two calls.
      if status == .insufficientBuffer { continue }
      guard status == .success else {
        if status == .noReadersAvailable { return [] }
        throw status.error("SCardListReaders")
      }
      return buffer.prefix(Int(length)).split(separator: 0).map { name in
        ReaderName.text(name.map { UInt8(bitPattern: $0) })
      }
    }
  }

  private static func statusChange(
    _ context: SCARDCONTEXT, timeout: DWORD, _ readers: [(name: String, state: DWORD)]
  ) -> (status: PCSCStatus, readers: [CardReader]) {
    let names = readers.map { ReaderName.bytes($0.name) }
    var states = readers.map { reader in
      var state = SCARD_READERSTATE()
      state.dwCurrentState = reader.state
      return state
    }
    func withNames(_ index: Int, _ body: () -> PCSCStatus) -> PCSCStatus {
      guard index < names.count else { return body() }
      return names[index].withUnsafeBufferPointer { name in
        states[index].szReader = name.baseAddress
        return withNames(index + 1, body)
      }
    }
    let status = withNames(0) {
      PCSCStatus(SCardGetStatusChange(context, timeout, &states, DWORD(states.count)))
    }
    let result = zip(readers, states).map { reader, state in
      let length = min(Int(state.cbAtr), MemoryLayout.size(ofValue: state.rgbAtr))
      let bytes = withUnsafeBytes(of: state.rgbAtr) { Array($0.prefix(length)) }
      let present = state.dwEventState & DWORD(SCARD_STATE_PRESENT) != 0
      return CardReader(
        name: reader.name, card: present && !bytes.isEmpty ? AnswerToReset(bytes) : nil,
        isInUse: state.dwEventState & DWORD(SCARD_STATE_EXCLUSIVE) != 0, eventState: UInt(state.dwEventState))
    }
    return (status, result)
  }

  // MARK: - Cards

  /// A connection to a card; only this actor touches the handle.
  struct Handle: Sendable {
    fileprivate let handle: SCARDHANDLE
    fileprivate var activeProtocol: DWORD
    let reader: String
    fileprivate let usbNode: String?
  }

  /// Connects to the card in `reader`, resets it, and begins a transaction, which excludes other programs. If another
  /// program has a transaction, this waits for its end; PC/SC cannot cancel that.
  ///
  /// - Throws: `CardError.cardRemoved` if there is no card; `.readerInUse` if another program has exclusive access.
  package func connect(_ reader: CardReader) throws(CardError) -> Card {
    let connection = try openReset(reader)
    let channel = PCSCCardChannel(context: self, handle: connection, answerTimeout: answerTimeout)
    return Card(
      channel: channel, readerName: reader.name, answerToReset: reader.card,
      extendedLengthLimit: Self.extendedLengthLimit(connection), finish: { await channel.disconnect() })
  }

  /// Removes the power from a card that was lost, waits for a card in the same reader and connects to it.
  ///
  /// While another program has a transaction, this waits for its end, even after `time`.
  ///
  /// - Throws: `CardError.cardRemoved` if no card was detected in time, or why the connection failed; `.readerRemoved`;
  ///   `CancellationError` at once.
  func reconnect(_ lost: Handle, within time: Duration) async throws -> Handle {
    SCardEndTransaction(lost.handle, DWORD(SCARD_UNPOWER_CARD))
    SCardDisconnect(lost.handle, DWORD(SCARD_UNPOWER_CARD))
    connections.remove(lost.handle)
    let deadline = ContinuousClock.now + time
    var readers = try self.readers()
    while true {
      guard let reader = readers.first(where: { $0.name == lost.reader }) else {
        throw CardError.readerRemoved(reader: lost.reader)
      }
      var lastError = CardError.cardRemoved
      if reader.card != nil {
        switch tryToOpen(reader) {
        case .success(let connection): return connection
        // The card may be misplaced, or removed again: continue to wait.
        case .failure(let error): lastError = error
        }
      }
      guard ContinuousClock.now < deadline else { throw lastError }
      readers = try await change(from: readers, until: deadline)
    }
  }

  private func tryToOpen(_ reader: CardReader) -> Result<Handle, CardError> {
    do {
      return .success(try openReset(reader))
    } catch {
      return .failure(error)
    }
  }

  private static let share = DWORD(SCARD_SHARE_SHARED)
  private static let protocols = DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1)

  /// Connects to a card and resets it: an application that another program has left selected hides the files of the
  /// master file, such as EF.CardAccess.
  private func openReset(_ reader: CardReader) throws(CardError) -> Handle {
    var connection = try open(reader)
    let status = Self.powerCycle(&connection)
    guard status == .success else {
      disconnect(connection)
      throw status == .unresponsiveCard ? .notSmartCard : status.cardError
    }
    return connection
  }

  /// Removes the power from the card and restores it. A reset would be enough for a contact card; a contactless reader
  /// may acknowledge a reset without performing it.
  private static func powerCycle(_ connection: inout Handle) -> PCSCStatus {
    var status = PCSCStatus(
      SCardReconnect(
        connection.handle, share, protocols, DWORD(SCARD_UNPOWER_CARD), &connection.activeProtocol))
    // A reader that detects its card again may need some time.
    for _ in 0..<5 where status == .unresponsiveCard {
      usleep(100_000)
      status = PCSCStatus(
        SCardReconnect(
          connection.handle, share, protocols, DWORD(SCARD_RESET_CARD), &connection.activeProtocol))
    }
    return status
  }

  private func open(_ reader: CardReader) throws(CardError) -> Handle {
    // The service does not connect while another program has a transaction.
    awaited.withLock { $0 = reader.name }
    defer { awaited.withLock { $0 = nil } }
    var handle = SCARDHANDLE()
    var activeProtocol = DWORD()
    let (share, protocols) = (Self.share, Self.protocols)
    let name = ReaderName.bytes(reader.name)
    var status = PCSCStatus(SCardConnect(try context(), name, share, protocols, &handle, &activeProtocol))
    if status == .unpoweredCard {
      // Another program removed the power, and a third one keeps its connection. Then only a direct connection is made.
      status = PCSCStatus(
        SCardConnect(try context(), name, DWORD(SCARD_SHARE_DIRECT), 0, &handle, &activeProtocol))
      if status == .success {
        status = PCSCStatus(SCardReconnect(handle, share, protocols, DWORD(SCARD_UNPOWER_CARD), &activeProtocol))
        if status != .success { SCardDisconnect(handle, DWORD(SCARD_LEAVE_CARD)) }
      }
    }
    guard status == .success else {
      throw status.connectionError(reader: reader.name, isSessionOpen: (try? readerNames()) != nil)
    }
    status = PCSCStatus(SCardBeginTransaction(handle))
    // The program that used the card before reset it at the end. This is not an error, unless it is repeated.
    for _ in 0..<5 where status == .resetCard {
      status = PCSCStatus(SCardReconnect(handle, share, protocols, DWORD(SCARD_LEAVE_CARD), &activeProtocol))
      if status == .success { status = PCSCStatus(SCardBeginTransaction(handle)) }
    }
    guard status == .success else {
      SCardDisconnect(handle, DWORD(SCARD_LEAVE_CARD))
      throw status.cardError
    }
    connections.insert(handle)
    return Handle(
      handle: handle, activeProtocol: activeProtocol, reader: reader.name, usbNode: Self.usbNode(handle))
  }

  /// Ends the connection to a card, and after the last one the session with the service.
  func disconnect(_ connection: Handle) {
    SCardEndTransaction(connection.handle, DWORD(SCARD_RESET_CARD))
    SCardDisconnect(connection.handle, DWORD(SCARD_LEAVE_CARD))
    connections.remove(connection.handle)
    releaseIfUnused()
  }

  func releaseIfUnused() {
    if connections.isEmpty { release() }
  }

  func transmit(_ command: [UInt8], to connection: Handle, settling answer: FirstResult<[UInt8]>) {
    var request = SCARD_IO_REQUEST(
      dwProtocol: connection.activeProtocol, cbPciLength: DWORD(MemoryLayout<SCARD_IO_REQUEST>.size))
    var length = DWORD(responseBuffer.count)
    let status = PCSCStatus(
      SCardTransmit(
        connection.handle, &request, command, DWORD(command.count), nil, &responseBuffer, &length))
    if status != .success {
      answer.settle(.failure(cause(of: status.cardError, connection)))
    } else if length == 0 {
      // Some drivers report a removed card as success without a response. It may be present again, but not powered.
      answer.settle(.failure(cause(of: .emptyResponse, connection)))
    } else {
      answer.settle(.success(Array(responseBuffer.prefix(Int(length)))))
    }
  }

  /// How long the service may take to notice a removal: it checks its slots every 400 ms. In milliseconds.
  private static let removalNotice: DWORD = 700
  private static let unpluggingNotice: DWORD = 800

  /// Distinguishes a transmission error, a card that was removed and a reader that was unplugged. Readers report a
  /// removed card as a transmission error; the state of the slot shows the difference after some time.
  private func cause(of error: CardError, _ connection: Handle) -> CardError {
    guard let context = established else { return error }
    let name = connection.reader
    switch error {
    case .transmission, .emptyResponse:
      let (looked, now) = Self.statusChange(context, timeout: 0, [(name, DWORD(SCARD_STATE_UNAWARE))])
      guard looked == .success, let reader = now.first, reader.card != nil else { return removalError(connection) }
      let known = DWORD(reader.eventState) & ~DWORD(SCARD_STATE_CHANGED)
      let (waited, later) = Self.statusChange(context, timeout: Self.removalNotice, [(name, known)])
      guard waited == .timeout || later.first?.card != nil else { return removalError(connection) }
      return error
    case .cardRemoved: return removalError(connection)
    default: return error
    }
  }

  private func removalError(_ connection: Handle) -> CardError {
    var isReaderConnected: Bool {
      connection.usbNode.map { FileManager.default.fileExists(atPath: $0) } ?? true
        && (try? readerNames())?.contains(connection.reader) ?? true
    }
    // The service may report a slot as empty a moment before the device is removed.
    if isReaderConnected, connection.usbNode != nil, let context = established {
      let state = [(connection.reader, DWORD(SCARD_STATE_EMPTY))]
      _ = Self.statusChange(context, timeout: Self.unpluggingNotice, state)
    }
    return isReaderConnected ? .cardRemoved : .readerRemoved(reader: connection.reader)
  }

  /// The node of a USB reader: `SCARD_ATTR_CHANNEL_ID` of PC/SC part 3, 3.1.4, is `0020bbaa` with bus and address. When
  /// a reader is unplugged, the kernel removes its node before the service removes it from its list.
  private static func usbNode(_ handle: SCARDHANDLE) -> String? {
    var value = [UInt8](repeating: 0, count: 4)
    var length = DWORD(value.count)
    let channelIdentifier = DWORD(0x0002_0110)
    guard PCSCStatus(SCardGetAttrib(handle, channelIdentifier, &value, &length)) == .success, length == 4,
      value[3] == 0x00, value[2] == 0x20
    else { return nil }
    func padded(_ number: UInt8) -> String { String(repeating: "0", count: 3 - "\(number)".count) + "\(number)" }
    let node = "/dev/bus/usb/\(padded(value[1]))/\(padded(value[0]))"
    // In a container that has the service's socket but not the host's devices, its absence means nothing.
    return FileManager.default.fileExists(atPath: node) ? node : nil
  }

  /// `dwMaxAPDUDataSize` of PC/SC part 10, 2.6.14. For a reader that does not announce it, which are many, the longest
  /// data of an APDU.
  private static func extendedLengthLimit(_ connection: Handle) -> Int? {
    // A command of T=0 has no extended form (ISO/IEC 7816-3, 12.2), whatever the driver announces.
    guard connection.activeProtocol != DWORD(SCARD_PROTOCOL_T0) else { return nil }
    let handle = connection.handle
    var features = [UInt8](repeating: 0, count: 256)
    var length = DWORD()
    guard
      PCSCStatus(
        SCardControl(
          handle, tessera_cm_ioctl_get_feature_request, nil, 0, &features, DWORD(features.count), &length))
        == .success
    else { return longestData }
    // A list of tag, length 4, control code (big-endian); 0x12 is FEATURE_GET_TLV_PROPERTIES.
    let feature = stride(from: 0, to: min(Int(length), 252), by: 6).first {
      features[$0] == 0x12 && features[$0 + 1] == 4
    }
    guard let feature else { return longestData }
    let control = features[feature + 2..<feature + 6].reduce(DWORD(0)) { $0 << 8 | DWORD($1) }
    var properties = [UInt8](repeating: 0, count: 256)
    guard
      PCSCStatus(SCardControl(handle, control, nil, 0, &properties, DWORD(properties.count), &length)) == .success
    else { return longestData }
    // Tag, length, value (little-endian); 0x0A is dwMaxAPDUDataSize.
    var rest = properties.prefix(Int(length))
    while rest.count >= 2, let tag = rest.popFirst(), let size = rest.popFirst(), rest.count >= Int(size) {
      if tag == 0x0A, size == 4 {
        let limit = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        return limit > 256 ? min(limit, longestData) : nil
      }
      rest = rest.dropFirst(Int(size))
    }
    return longestData
  }

  private static let longestData = 65_536
}

extension Duration {
  /// Whole milliseconds, rounded up.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
