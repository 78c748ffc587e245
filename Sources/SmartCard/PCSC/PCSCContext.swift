internal import CPCSC
import Synchronization

/// One PC/SC context (`SCARDCONTEXT`) with a thread of its own. All calls that may block run on that thread;
/// cancelling the waiting task ends the wait at once.
public actor PCSCContext {
  private let context: SCARDCONTEXT
  private nonisolated let executor: ThreadExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Throws: `CardError.serviceUnavailable` when no pcscd answers, `.accessDenied` when it refuses this user.
  public init() throws(CardError) {
    var context = SCARDCONTEXT()
    let status = PCSCStatus(SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &context))
    guard status == .success else { throw status.error("SCardEstablishContext") }
    self.context = context
    executor = ThreadExecutor(name: "pcsc")
  }

  deinit {
    SCardReleaseContext(context)
    executor.stop()
  }

  /// The readers and the cards in them, now.
  public func readers() throws(CardError) -> [CardReader] {
    let names = try readerNames()
    guard !names.isEmpty else { return [] }
    let (status, states) = Self.statusChange(
      context, timeout: 0, names.map { ($0, DWORD(SCARD_STATE_UNAWARE)) })
    switch status {
    case .success, .timeout: return states
    // A reader was unplugged between the two calls: look again.
    case .unknownReader: return try readers()
    default: throw status.error("SCardGetStatusChange")
    }
  }

  /// Waits until the readers or their cards are no longer as they were, without polling.
  ///
  /// - Parameters:
  ///   - known: an earlier answer of this context.
  ///   - deadline: when to give up; nil waits for ever.
  /// - Returns: the new state; the same as `known` when the deadline passed.
  /// - Throws: `CancellationError` at once when the task is cancelled.
  public func change(from known: [CardReader], until deadline: ContinuousClock.Instant?) async throws -> [CardReader] {
    while true {
      try Task.checkCancellation()
      // A reader that came or went before the wait began would not wake it.
      guard try readerNames() == known.map(\.name) else { return try readers() }
      let remaining = deadline.map { ContinuousClock.now.duration(to: $0) }
      if let remaining, remaining <= .zero { return known }
      let status = try await wait(known, remaining)
      switch status {
      case .success, .unknownReader, .noReadersAvailable:
        let now = try readers()
        // The service also wakes for changes that do not concern us (a reader's mute state, a shared access).
        if !ReaderEvent.between(known, now).isEmpty { return now }
        if now.map(\.eventState) != known.map(\.eventState) { return now }
      case .timeout: return known
      case .cancelled: try Task.checkCancellation()
      default: throw status.error("SCardGetStatusChange")
      }
    }
  }

  private func wait(_ known: [CardReader], _ timeout: Duration?) async throws -> PCSCStatus {
    let milliseconds = timeout.map { DWORD(clamping: max(1, $0.milliseconds)) } ?? DWORD(INFINITE)
    // The pseudo reader reports plugging; its state holds the number of readers in the upper half.
    let plugAndPlay = (#"\\?PnP?\Notification"#, DWORD(known.count) << 16)
    let waited = known.map { ($0.name, DWORD($0.eventState) & ~DWORD(SCARD_STATE_CHANGED)) } + [plugAndPlay]
    let wait = CancellableWait()
    let context = context
    return await withTaskCancellationHandler {
      guard wait.begin() else { return .cancelled }
      defer { wait.end() }
      return Self.statusChange(context, timeout: milliseconds, waited).status
    } onCancel: {
      wait.cancel { SCardCancel(context) }
    }
  }

  /// The name of every reader, in the service's order.
  private func readerNames() throws(CardError) -> [String] {
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
        String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    }
  }

  private static func statusChange(
    _ context: SCARDCONTEXT, timeout: DWORD, _ readers: [(name: String, state: DWORD)]
  ) -> (status: PCSCStatus, readers: [CardReader]) {
    let names = readers.map { Array($0.name.utf8CString) }
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
    fileprivate let activeProtocol: DWORD
    let reader: String
  }

  /// Connects to the card in `reader` and keeps other programs from talking in between.
  ///
  /// - Throws: `CardError.cardRemoved` when there is no card, `.readerInUse` when another program holds it.
  public func connect(_ reader: CardReader) throws(CardError) -> Card {
    var handle = SCARDHANDLE()
    var activeProtocol = DWORD()
    let protocols = DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1)
    var status = PCSCStatus(
      SCardConnect(context, reader.name, DWORD(SCARD_SHARE_SHARED), protocols, &handle, &activeProtocol))
    guard status == .success else {
      throw status == .sharingViolation ? .readerInUse(reader: reader.name) : status.cardError
    }
    status = PCSCStatus(SCardBeginTransaction(handle))
    guard status == .success else {
      SCardDisconnect(handle, DWORD(SCARD_LEAVE_CARD))
      throw status.cardError
    }
    let connection = Handle(handle: handle, activeProtocol: activeProtocol, reader: reader.name)
    return Card(
      channel: PCSCCardChannel(context: self, handle: connection), readerName: reader.name,
      answerToReset: reader.card, extendedLengthLimit: Self.extendedLengthLimit(handle),
      finish: { await self.disconnect(connection) })
  }

  private func disconnect(_ connection: Handle) {
    SCardEndTransaction(connection.handle, DWORD(SCARD_RESET_CARD))
    SCardDisconnect(connection.handle, DWORD(SCARD_LEAVE_CARD))
  }

  func transmit(_ command: [UInt8], to connection: Handle) throws -> [UInt8] {
    try Task.checkCancellation()
    var request = SCARD_IO_REQUEST(
      dwProtocol: connection.activeProtocol, cbPciLength: DWORD(MemoryLayout<SCARD_IO_REQUEST>.size))
    // 65 536 bytes and a status word are the most that one response can hold.
    return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_538) { buffer in
      var length = DWORD(buffer.count)
      let status = PCSCStatus(
        SCardTransmit(
          connection.handle, &request, command, DWORD(command.count), nil, buffer.baseAddress, &length))
      guard status == .success else { throw cause(of: status.cardError, connection) }
      // Some drivers report a card that is gone as success without an answer.
      guard length >= 2 else { throw cause(of: .truncatedResponse(Int(length)), connection) }
      return Array(buffer.prefix(Int(length)))
    }
  }

  /// How long the service takes to notice a removal: it looks at its slots every 400 ms.
  private static let removalNotice: DWORD = 700

  /// Readers report a card that was pulled away as a plain transmission error; the state of the slot, once it has
  /// had time to change, tells which of the two it was.
  private func cause(of error: CardError, _ connection: Handle) -> CardError {
    switch error {
    case .transmission, .truncatedResponse: break
    default: return error
    }
    let (looked, now) = Self.statusChange(context, timeout: 0, [(connection.reader, DWORD(SCARD_STATE_UNAWARE))])
    guard looked == .success, let reader = now.first, reader.card != nil else { return .cardRemoved }
    let known = DWORD(reader.eventState) & ~DWORD(SCARD_STATE_CHANGED)
    let (waited, later) = Self.statusChange(context, timeout: Self.removalNotice, [(connection.reader, known)])
    guard waited == .timeout || later.first?.card != nil else { return .cardRemoved }
    return error
  }

  /// `dwMaxAPDUDataSize` of PC/SC part 10, 2.6.14: what the reader says it can carry.
  private static func extendedLengthLimit(_ handle: SCARDHANDLE) -> Int? {
    var features = [UInt8](repeating: 0, count: 256)
    var length = DWORD()
    guard
      PCSCStatus(
        SCardControl(
          handle, tessera_cm_ioctl_get_feature_request, nil, 0, &features, DWORD(features.count), &length))
        == .success
    else { return nil }
    // A list of tag, length 4, control code (big-endian); 0x12 is FEATURE_GET_TLV_PROPERTIES.
    let feature = stride(from: 0, to: min(Int(length), 252), by: 6).first { features[$0] == 0x12 && features[$0 + 1] == 4 }
    guard let feature else { return nil }
    let control = features[feature + 2..<feature + 6].reduce(DWORD(0)) { $0 << 8 | DWORD($1) }
    var properties = [UInt8](repeating: 0, count: 256)
    guard
      PCSCStatus(SCardControl(handle, control, nil, 0, &properties, DWORD(properties.count), &length)) == .success
    else { return nil }
    // Tag, length, value (little-endian); 0x0A is dwMaxAPDUDataSize.
    var rest = properties.prefix(Int(length))
    while rest.count >= 2, let tag = rest.popFirst(), let size = rest.popFirst(), rest.count >= Int(size) {
      if tag == 0x0A, size == 4 {
        let limit = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        return limit > 256 ? min(limit, 65_536) : nil
      }
      rest = rest.dropFirst(Int(size))
    }
    return nil
  }
}

/// The channel to a connected card.
struct PCSCCardChannel: CardChannel {
  let context: PCSCContext
  let handle: PCSCContext.Handle

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    try await context.transmit(command, to: handle)
  }
}

extension Duration {
  /// Whole milliseconds, rounded up.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
