internal import CTesseraLibNFC
import FoundationEssentials
import Glibc
import TesseraSmartCard
import TesseraThreads

/// A device that libnfc drives (`nfc_device`), with a dedicated thread for the calls that block. The device is open,
/// and no other program can use it, from the wait for a card until that card is disconnected.
package actor LibNFCDevice {
  package nonisolated let connstring: LibNFCConnstring
  private var handle: Handle?
  private var lock: DeviceLock?
  /// Whether the thread is blocked in a call that may never return.
  private nonisolated let isStuck = Flag()
  /// The card in use, for the check whether it is still present.
  private var target = nfc_target()
  /// Large enough for every response: libnfc's own buffer has 264 bytes.
  private var responseBuffer = [UInt8](repeating: 0, count: 264)
  private let answerTimeout: Duration
  private let maximumBitRate: BitRate
  /// In bytes. libnfc must not be given longer ones.
  private let longestCommand: Int
  private nonisolated let executor: ThreadExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - answerTimeout: How long a card may take to answer one command.
  ///   - maximumBitRate: The fastest bit rate to use, if the card and the chip support it.
  ///   - longestCommand: In bytes; nil for the limit of the driver.
  package init(
    _ connstring: LibNFCConnstring, answerTimeout: Duration = .seconds(20), maximumBitRate: BitRate = .kbit424,
    longestCommand: Int? = nil
  ) {
    self.connstring = connstring
    self.answerTimeout = answerTimeout
    self.maximumBitRate = maximumBitRate
    self.longestCommand = longestCommand ?? connstring.commandLengthLimit
    executor = ThreadExecutor(name: "libnfc")
  }

  deinit {
    // The card was not disconnected.
    if let handle {
      DetachedThread.start(name: "libnfc close") { [lock] in
        withExtendedLifetime(lock) { LibNFCLibrary.close(handle.pointer) }
      }
    }
    executor.stop()
  }

  /// An open device.
  ///
  /// `@unchecked Sendable`: the actor uses it on its own thread, and `deinit` passes it to a thread that closes it. The
  /// only other call is the abort, which libnfc allows on any thread and `AbortableCall` permits only during a call.
  private struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// The device's name in messages.
  private nonisolated var name: String { connstring.text }

  // MARK: - A card

  /// Waits for a card of ISO/IEC 14443-4, type A or B, and activates it.
  ///
  /// The chip itself polls for cards. This process sleeps meanwhile with a PN532 on a serial line; libnfc's USB drivers
  /// poll their endpoint.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait; nil to wait without a limit.
  ///   - onWaiting: Called once if there is no card yet.
  /// - Throws: `CardError` if the device cannot be opened, no card was detected, or the card is of another kind;
  ///   `CancellationError` soon after the task is cancelled.
  package nonisolated func card(
    timeout: Duration?, onWaiting: @escaping @Sendable () -> Void = {}
  ) async throws -> Card {
    try await withTimeLimit(
      timeout.map { $0 + Self.activationTime }, gracePeriod: Self.gracePeriod,
      orThrow: CardError.readerFailed(reader: self.name), onDetach: { [isStuck] in isStuck.set() },
      onLateResult: { await $0.disconnect() },
      {
        try await self.findCard(timeout: timeout, onWaiting: onWaiting)
      })
  }

  /// Waits until a card is present again and activates it, on the device that is already open.
  nonisolated func awaitReturn(within time: Duration) async throws {
    guard !isStuck.isSet else { throw CardError.mute }
    try await withTimeLimit(
      time + Self.activationTime, gracePeriod: Self.gracePeriod,
      orThrow: CardError.readerFailed(reader: self.name), onDetach: { [isStuck] in isStuck.set() },
      { try await self.findCardAgain(within: time) })
  }

  private func findCardAgain(within time: Duration) async throws {
    guard let device = handle else { throw CardError.cardRemoved }
    let deadline = ContinuousClock.now + time
    nfc_initiator_deselect_target(device.pointer)
    // A card that missed this command does not answer polling until it has lost its power (ISO/IEC 14443-3, 6.3.5).
    try restartField(device)
    while true {
      if let target = try await poll(device, endless: true, until: deadline),
        try await card(of: target, device) != nil
      {
        return
      }
      guard .now < deadline else { throw CardError.cardRemoved }
    }
  }

  /// The card that is on the device; nil if there is none. Opens the device and closes it again.
  package nonisolated func presentCard() async throws -> AnswerToReset? {
    try await withTimeLimit(
      Self.activationTime, gracePeriod: Self.gracePeriod, orThrow: CardError.readerFailed(reader: self.name),
      onDetach: { [isStuck] in isStuck.set() },
      { try await self.pollOnce() })
  }

  /// Transmits one command to the card.
  ///
  /// - Throws: `CardError`; `CancellationError` if the task was cancelled, before the command was sent or while the
  ///   card was processing it.
  nonisolated func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    guard !isStuck.isSet else { throw CardError.mute }
    // libnfc itself limits the time for the response.
    return try await withTimeLimit(
      nil, gracePeriod: Self.gracePeriod, onDetach: { [isStuck] in isStuck.set() },
      { try await self.transceive(command) })
  }

  /// Deselects the card, switches the field off and closes the device. Does nothing if the device's thread is blocked.
  nonisolated func disconnect() async {
    if !isStuck.isSet { await release() }
  }

  /// How long a call may take to return after it was aborted.
  private static let gracePeriod = Duration.seconds(2)

  /// How long the activation of a card may take, which may begin at the last moment of a wait.
  private static let activationTime = Duration.seconds(6)

  /// How long one poll for each kind of card may take.
  private static let pollTime = Duration.seconds(3)

  private func findCard(timeout: Duration?, onWaiting: @Sendable () -> Void) async throws -> Card {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    let device = try open()
    do {
      var found = try await poll(device, endless: false, until: deadline)
      if found == nil { onWaiting() }
      while true {
        if let deadline, found == nil, deadline <= .now {
          throw CardError.noCard(seconds: Int(timeout?.components.seconds ?? 0))
        }
        if let target = found, let card = try await card(of: target, device) { return card }
        found = try await poll(device, endless: true, until: deadline)
      }
    } catch {
      close()
      // An abort may also end as a failure of the device.
      try Task.checkCancellation()
      throw error
    }
  }

  private func pollOnce() async throws -> AnswerToReset? {
    let device = try open()
    defer { close() }
    return try await poll(device, endless: false, until: nil)?.answerToReset
  }

  /// - Returns: nil if the card was removed during its activation.
  private func card(of found: LibNFCTarget, _ device: Handle) async throws -> Card? {
    guard found.isSmartCard else { throw CardError.notSmartCard }
    var found = found
    let rate = found.fastestBitRate(upTo: min(maximumBitRate, fastestBitRate(of: found, device)))
    if rate > .kbit106 {
      guard let faster = try await select(found, at: rate, device) else { return nil }
      found = faster
    }
    let channel = LibNFCCardChannel(device: self)
    let limit = longestCommand
    let isChaining = found.answerToReset.announcesCommandChaining
    return Card(
      channel: isChaining ? ChainingChannel(channel, commandLengthLimit: limit) : channel, readerName: name,
      answerToReset: found.answerToReset, commandLengthLimit: isChaining ? nil : limit,
      finish: { await channel.disconnect() })
  }

  // MARK: - Opening and closing

  private func open() throws -> Handle {
    try Task.checkCancellation()
    if handle != nil { throw CardError.deviceInUse(reader: name) }
    let lock = try connstring.node.map { try DeviceLock(node: $0, of: connstring) }
    guard let opened = try LibNFCLibrary.open(connstring) else {
      try Task.checkCancellation()
      throw LibNFCDeviceProblem.reason(connstring)
    }
    let status = LibNFCStatus(nfc_initiator_init(opened))
    let handle = Handle(pointer: opened)
    do {
      guard status.isSuccess else { throw LibNFCDeviceProblem.failure(of: connstring) }
      // A program that was killed may have left an application selected, which hides the files of the master file.
      // libnfc's own restart of the field is too short to reset the card.
      try restartField(handle)
    } catch {
      LibNFCLibrary.close(opened)
      try Task.checkCancellation()
      throw error
    }
    self.handle = handle
    self.lock = lock
    return handle
  }

  private func close() {
    guard let device = handle?.pointer else { return }
    handle = nil
    LibNFCLibrary.close(device)
    lock = nil
  }

  private func release() {
    if let device = handle?.pointer { nfc_initiator_deselect_target(device) }
    close()
  }

  // MARK: - Polling for cards

  private static let modulations = [
    nfc_modulation(nmt: NMT_ISO14443A, nbr: NBR_106), nfc_modulation(nmt: NMT_ISO14443B, nbr: NBR_106),
  ]

  /// The polling time for each kind of card, in units of 150 ms. The USB drivers deduct 200 ms before they wait.
  private nonisolated var period: UInt8 { connstring.isUSB ? 2 : 1 }

  /// - Parameters:
  ///   - endless: Polls until there is a card, instead of once for each kind.
  ///   - deadline: The end of endless polling.
  /// - Returns: nil if no card was detected in time.
  private func poll(
    _ device: Handle, endless: Bool, until deadline: ContinuousClock.Instant?
  ) async throws -> LibNFCTarget? {
    guard LibNFCLibrary.hasRoom else { throw CardError.tooManyOpenFiles }
    var found = nfc_target()
    let status = await abortable(device, until: endless ? deadline : .now + Self.pollTime) {
      LibNFCStatus(
        nfc_initiator_poll_target(
          device.pointer, Self.modulations, Self.modulations.count, endless ? 0xFF : 0x01, period, &found))
    }
    if status == .aborted || Task.isCancelled {
      try Task.checkCancellation()
      // The chip did not end a single poll in time.
      guard endless else { throw LibNFCDeviceProblem.failure(of: connstring) }
      return nil
    }
    guard status.isSuccess else {
      // No card: not every chip reports this as a count of zero.
      if !endless, status == .timeout { return nil }
      throw LibNFCDeviceProblem.failure(of: connstring)
    }
    // A chip that ends endless polling without a card would be polled in a busy loop.
    if status.code == 0, endless { throw LibNFCDeviceProblem.failure(of: connstring) }
    guard status.code > 0, let target = LibNFCTarget(found) else { return nil }
    self.target = found
    return target
  }

  /// The fastest bit rate of the chip for this kind of card.
  private func fastestBitRate(of target: LibNFCTarget, _ device: Handle) -> BitRate {
    var rates: UnsafePointer<nfc_baud_rate>?
    guard LibNFCStatus(nfc_device_get_supported_baud_rate(device.pointer, target.modulation, &rates)).isSuccess,
      var rate = rates
    else { return .kbit106 }
    var fastest = BitRate.kbit106
    // The list has at most five elements and ends with zero.
    for _ in 0..<5 where rate.pointee.rawValue != 0 {
      if rate.pointee == NBR_424 { fastest = max(fastest, .kbit424) }
      if rate.pointee == NBR_212 { fastest = max(fastest, .kbit212) }
      rate += 1
    }
    return fastest
  }

  /// Activates the card again at a higher bit rate (protocol and parameter selection, ISO/IEC 14443-4, 5.3): libnfc
  /// cannot change the bit rate of an active card. If the card refuses, it is activated at 106 kbit/s.
  ///
  /// - Returns: nil if the card is no longer present.
  private func select(_ found: LibNFCTarget, at rate: BitRate, _ device: Handle) async throws -> LibNFCTarget? {
    for rate in [rate, .kbit106] {
      try restartField(device)
      guard LibNFCStatus(nfc_device_set_property_bool(device.pointer, NP_INFINITE_SELECT, false)).isSuccess else {
        throw LibNFCDeviceProblem.failure(of: connstring)
      }
      var again = nfc_target()
      let modulation = nfc_modulation(nmt: found.modulation, nbr: rate.libnfc)
      // libnfc has no time limit for the change of the bit rate.
      let status = await abortable(device, until: .now + .seconds(2)) {
        LibNFCStatus(nfc_initiator_select_passive_target(device.pointer, modulation, nil, 0, &again))
      }
      try Task.checkCancellation()
      if status.code > 0, let target = LibNFCTarget(again) {
        self.target = again
        return target
      }
      guard status.isSuccess || status.concernsCard || status == .timeout else {
        throw LibNFCDeviceProblem.failure(of: connstring)
      }
    }
    return nil
  }

  /// Switches the field off and on, which resets all cards.
  private func restartField(_ device: Handle) throws {
    guard LibNFCStatus(nfc_device_set_property_bool(device.pointer, NP_ACTIVATE_FIELD, false)).isSuccess else {
      throw LibNFCDeviceProblem.failure(of: connstring)
    }
    usleep(Self.resetTime)
    guard LibNFCStatus(nfc_device_set_property_bool(device.pointer, NP_ACTIVATE_FIELD, true)).isSuccess else {
      throw LibNFCDeviceProblem.failure(of: connstring)
    }
  }

  /// How long the field is off, in microseconds: 5.1 ms by ISO/IEC 14443-2, and a reserve for slow cards.
  private static let resetTime: UInt32 = 10_000

  // MARK: - Commands

  private func transceive(_ command: [UInt8]) async throws -> [UInt8] {
    let limit = longestCommand
    guard command.count <= limit else {
      throw CardError.commandTooLongForReader(length: command.count, limit: limit)
    }
    guard !command.isEmpty, let device = handle else { throw CardError.cardRemoved }
    try Task.checkCancellation()
    let timeout = Int32(clamping: answerTimeout.milliseconds)
    // An answer that is about to arrive may still arrive.
    let status = await abortable(device, until: nil, gracePeriod: .milliseconds(250)) {
      LibNFCStatus(
        nfc_initiator_transceive_bytes(
          device.pointer, command, command.count, &responseBuffer, responseBuffer.count, timeout))
    }
    if status == .aborted { try Task.checkCancellation() }
    guard status.isSuccess else { throw cause(of: status, device) }
    return Array(responseBuffer.prefix(Int(status.code)))
  }

  /// Distinguishes a card that was removed, a device that was unplugged and a transmission error, by checking whether
  /// the card is present.
  private func cause(of status: LibNFCStatus, _ device: Handle) -> CardError {
    if status == .targetReleased { return .cardRemoved }
    guard connstring.isPluggedIn else { return .readerRemoved(reader: name) }
    let presence = LibNFCStatus(nfc_initiator_target_is_present(device.pointer, nil))
    switch presence {
    case _ where presence.isSuccess:
      return status == .timeout ? .mute : .transmission(code: UInt32(bitPattern: status.code))
    // libnfc discards a card that was released, and then reports an invalid argument.
    case .targetReleased, .invalidArgument, .transmission, .chip: return .cardRemoved
    default: return LibNFCDeviceProblem.failure(of: connstring)
    }
  }

  // MARK: - Calls that block

  /// Runs a blocking libnfc call, which the cancellation of the task and the deadline abort.
  ///
  /// - Parameter gracePeriod: How long the call may still take to end on its own after the cancellation.
  private func abortable(
    _ device: Handle, until deadline: ContinuousClock.Instant?, gracePeriod: Duration = .zero,
    _ body: () -> LibNFCStatus
  ) async -> LibNFCStatus {
    let call = AbortableCall { LibNFCLibrary.abort(device.pointer) }
    let limit = deadline.map { deadline in
      Task.detached {
        if (try? await Task.sleep(until: deadline, clock: .continuous)) != nil { call.interrupt() }
      }
    }
    defer { limit?.cancel() }
    return await withTaskCancellationHandler {
      block(in: call, body)
    } onCancel: {
      call.interrupt(gracePeriod: gracePeriod)
    }
  }

  /// Isolated to this actor, so that the call blocks the actor's thread. The closure above would run on the shared pool
  /// if it used nothing of the actor.
  private func block(in call: AbortableCall, _ body: () -> LibNFCStatus) -> LibNFCStatus {
    guard call.begin() else { return .aborted }
    defer { call.end() }
    return body()
  }
}

/// A flag that is set once.
private final class Flag: Sendable {
  private let state = Locked(false)
  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}

extension LibNFCTarget {
  fileprivate var modulation: nfc_modulation_type {
    switch kind {
    case .a: NMT_ISO14443A
    case .b: NMT_ISO14443B
    }
  }
}

extension BitRate {
  fileprivate var libnfc: nfc_baud_rate {
    switch self {
    case .kbit106: NBR_106
    case .kbit212: NBR_212
    case .kbit424: NBR_424
    }
  }
}
