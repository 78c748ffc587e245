internal import CLibNFC
import Foundation
import Threads

/// One device that libnfc drives (`nfc_device`), with a thread of its own for the calls that block. It is open, and taken
/// from every other program, from the wait for a card until that card is given back.
public actor LibNFCDevice {
  public nonisolated let connstring: LibNFCConnstring
  private var handle: Handle?
  private var claim: DeviceClaim?
  /// Whether the thread hangs in a call that will never return.
  private nonisolated let isStuck = Flag()
  /// What the wait found, for the look whether it is still there.
  private var target = nfc_target()
  /// Room for the longest response that libnfc delivers: 264 bytes of its own buffer, less the chip's status.
  private var responseBuffer = [UInt8](repeating: 0, count: 264)
  private let answerTimeout: Duration
  private let maximumBitRate: BitRate
  private nonisolated let executor: ThreadExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - answerTimeout: how long a card may think about one command.
  ///   - maximumBitRate: how fast a card may be spoken to, where it and the chip can.
  public init(
    _ connstring: LibNFCConnstring, answerTimeout: Duration = .seconds(20), maximumBitRate: BitRate = .kbit424
  ) {
    self.connstring = connstring
    self.answerTimeout = answerTimeout
    self.maximumBitRate = maximumBitRate
    executor = ThreadExecutor(name: "libnfc")
  }

  deinit {
    // Nobody has given the card back.
    if let handle {
      Thread.detachNewThread { [claim] in withExtendedLifetime(claim) { LibNFCLibrary.close(handle.pointer) } }
    }
    executor.stop()
  }

  /// An open device.
  ///
  /// `@unchecked Sendable`: the actor uses it on its own thread, its end hands it to another one that closes it, and the
  /// only call beside those is the abort, which libnfc allows from any thread and `AbortableCall` during a call only.
  private struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// The device's name in messages.
  private nonisolated var name: String { connstring.text }

  // MARK: - A card

  /// Waits for a card of ISO/IEC 14443-4, type A or B, and activates it.
  ///
  /// The chip itself looks for cards. While it does, a PN532 on a serial line lets this process sleep; libnfc's USB drivers
  /// look at their endpoint in between.
  ///
  /// - Parameters:
  ///   - timeout: how long to wait; nil waits for ever.
  ///   - onWaiting: is called once when no card is there yet.
  /// - Throws: `CardError`, where the device cannot be opened, no card came, or it is none of that kind;
  ///   `CancellationError` soon when the task is cancelled.
  public nonisolated func card(
    timeout: Duration?, onWaiting: @escaping @Sendable () -> Void = {}
  ) async throws -> Card {
    // Activation has limits of its own, and takes what it takes after the last moment.
    let work = AbandonableWork<Card>(
      limit: timeout.map { $0 + .seconds(6) }, patience: Self.patience, onAbandon: { [isStuck] in isStuck.set() },
      onLate: { await $0.disconnect() })
    return try await work.value(orThrow: CardError.readerFailed(reader: self.name)) {
      try await self.findCard(timeout: timeout, onWaiting: onWaiting)
    }
  }

  /// Waits until a card is there again and activates it, on the device that is open already.
  nonisolated func awaitReturn(within time: Duration) async throws {
    guard !isStuck.isSet else { throw CardError.mute }
    let work = AbandonableWork<Void>(
      limit: time + .seconds(6), patience: Self.patience, onAbandon: { [isStuck] in isStuck.set() }, onLate: { _ in })
    try await work.value(orThrow: CardError.readerFailed(reader: self.name)) { try await self.findAgain(within: time) }
  }

  private func findAgain(within time: Duration) async throws {
    guard let device = handle else { throw CardError.cardRemoved }
    let deadline = ContinuousClock.now + time
    nfc_initiator_deselect_target(device.pointer)
    // A card that has not heard this answers no request for cards until it has lost its power (ISO/IEC 14443-3, 6.3.5).
    try restartField(device)
    while true {
      if let target = try await look(device, endless: true, until: deadline),
        try await card(of: target, device) != nil
      {
        return
      }
      guard .now < deadline else { throw CardError.cardRemoved }
    }
  }

  /// The card that lies on the device now; nil where there is none. The device is closed again.
  public nonisolated func presentCard() async throws -> AnswerToReset? {
    let work = AbandonableWork<AnswerToReset?>(
      limit: .seconds(6), patience: Self.patience, onAbandon: { [isStuck] in isStuck.set() }, onLate: { _ in })
    return try await work.value(orThrow: CardError.readerFailed(reader: self.name)) { try await self.lookOnce() }
  }

  /// Sends one command to the card.
  ///
  /// - Throws: `CardError`; `CancellationError` when the task was cancelled, before the command left or while the card was
  ///   thinking about it.
  nonisolated func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    guard !isStuck.isSet else { throw CardError.mute }
    // libnfc sees to the time for the answer itself.
    let work = AbandonableWork<[UInt8]>(
      limit: nil, patience: Self.patience, onAbandon: { [isStuck] in isStuck.set() }, onLate: { _ in })
    return try await work.value(orThrow: CardError.mute) { try await self.exchange(command) }
  }

  /// Ends the conversation: the card is told to halt, the field is switched off, the device is free for others. Unless the
  /// thread that would do it is lost.
  nonisolated func disconnect() async {
    if !isStuck.isSet { await release() }
  }

  /// How long a call may take to notice that it was aborted.
  private static let patience = Duration.seconds(2)

  /// How long one look for each kind of card may take.
  private static let lookTime = Duration.seconds(3)

  private func findCard(timeout: Duration?, onWaiting: @Sendable () -> Void) async throws -> Card {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    let device = try open()
    do {
      var found = try await look(device, endless: false, until: deadline)
      if found == nil { onWaiting() }
      while true {
        if let deadline, found == nil, deadline <= .now {
          throw CardError.noCard(seconds: Int(timeout?.components.seconds ?? 0))
        }
        if let target = found, let card = try await card(of: target, device) { return card }
        found = try await look(device, endless: true, until: deadline)
      }
    } catch {
      close()
      throw error
    }
  }

  private func lookOnce() async throws -> AnswerToReset? {
    let device = try open()
    defer { close() }
    return try await look(device, endless: false, until: nil)?.answerToReset
  }

  /// - Returns: nil where the card left while it was activated.
  private func card(of found: LibNFCTarget, _ device: Handle) async throws -> Card? {
    guard found.isSmartCard else { throw CardError.notSmartCard }
    var found = found
    let rate = found.fastestBitRate(upTo: min(maximumBitRate, fastestBitRate(of: found, device)))
    if rate > .kbit106 {
      guard let faster = try await select(found, at: rate, device) else { return nil }
      found = faster
    }
    let channel = LibNFCCardChannel(device: self)
    let limit = connstring.commandLengthLimit
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
    let claim = try connstring.node.map { try DeviceClaim(node: $0, of: connstring) }
    guard let opened = try LibNFCLibrary.open(connstring) else { throw LibNFCObstacle.reason(connstring) }
    let status = LibNFCStatus(nfc_initiator_init(opened))
    let handle = Handle(pointer: opened)
    do {
      guard status.isSuccess else { throw LibNFCObstacle.failure(of: connstring) }
      // A program that was killed may have left a card with an application selected, which hides the files of the card
      // itself; libnfc's own restart is too short for it to forget.
      try restartField(handle)
    } catch {
      LibNFCLibrary.close(opened)
      throw error
    }
    self.handle = handle
    self.claim = claim
    return handle
  }

  private func close() {
    guard let device = handle?.pointer else { return }
    handle = nil
    LibNFCLibrary.close(device)
    claim = nil
  }

  private func release() {
    if let device = handle?.pointer { nfc_initiator_deselect_target(device) }
    close()
  }

  // MARK: - Looking for cards

  private static let modulations = [
    nfc_modulation(nmt: NMT_ISO14443A, nbr: NBR_106), nfc_modulation(nmt: NMT_ISO14443B, nbr: NBR_106),
  ]

  /// The time for each kind of card, in units of 150 ms. The USB drivers deduct 200 ms from it before they listen at all.
  private nonisolated var period: UInt8 { connstring.isUSB ? 2 : 1 }

  /// - Parameters:
  ///   - endless: look until there is a card, instead of once for each kind.
  ///   - deadline: of an endless look.
  /// - Returns: nil where there was no card (in time).
  private func look(
    _ device: Handle, endless: Bool, until deadline: ContinuousClock.Instant?
  ) async throws -> LibNFCTarget? {
    guard LibNFCLibrary.hasRoom else { throw CardError.tooManyOpenFiles }
    var found = nfc_target()
    let status = await abortable(device, until: endless ? deadline : .now + Self.lookTime) {
      LibNFCStatus(
        nfc_initiator_poll_target(
          device.pointer, Self.modulations, Self.modulations.count, endless ? 0xFF : 0x01, period, &found))
    }
    if status == .aborted || Task.isCancelled {
      try Task.checkCancellation()
      // A chip that does not even end a look by itself.
      guard endless else { throw LibNFCObstacle.failure(of: connstring) }
      return nil
    }
    guard status.isSuccess else {
      // One look at nothing: not every chip says so by a count of zero.
      if !endless, status == .timeout { return nil }
      throw LibNFCObstacle.failure(of: connstring)
    }
    // A chip that ends an endless look without a card would be asked again and again.
    if status.code == 0, endless { throw LibNFCObstacle.failure(of: connstring) }
    guard status.code > 0, let target = LibNFCTarget(found) else { return nil }
    self.target = found
    return target
  }

  /// The fastest rate that the chip knows for this kind of card.
  private func fastestBitRate(of target: LibNFCTarget, _ device: Handle) -> BitRate {
    var rates: UnsafePointer<nfc_baud_rate>?
    guard LibNFCStatus(nfc_device_get_supported_baud_rate(device.pointer, target.modulation, &rates)).isSuccess,
      var rate = rates
    else { return .kbit106 }
    var fastest = BitRate.kbit106
    // A list that ends with zero, of five at most.
    for _ in 0..<5 where rate.pointee.rawValue != 0 {
      if rate.pointee == NBR_424 { fastest = max(fastest, .kbit424) }
      if rate.pointee == NBR_212 { fastest = max(fastest, .kbit212) }
      rate += 1
    }
    return fastest
  }

  /// Activates the card again, and at a higher rate (protocol and parameter selection, ISO/IEC 14443-4, 5.3). Libnfc knows
  /// no way to change the rate of a card that is active already. Where the card does not obey, it is activated at 106 kbit/s
  /// as before.
  ///
  /// - Returns: nil where there is no card any more.
  private func select(_ found: LibNFCTarget, at rate: BitRate, _ device: Handle) async throws -> LibNFCTarget? {
    for rate in [rate, .kbit106] {
      try restartField(device)
      guard LibNFCStatus(nfc_device_set_property_bool(device.pointer, NP_INFINITE_SELECT, false)).isSuccess else {
        throw LibNFCObstacle.failure(of: connstring)
      }
      var again = nfc_target()
      let modulation = nfc_modulation(nmt: found.modulation, nbr: rate.libnfc)
      // The change of the rate has no time limit in libnfc: a chip that never answers it is given up.
      let status = await abortable(device, until: .now + .seconds(2)) {
        LibNFCStatus(nfc_initiator_select_passive_target(device.pointer, modulation, nil, 0, &again))
      }
      try Task.checkCancellation()
      if status.code > 0, let target = LibNFCTarget(again) {
        self.target = again
        return target
      }
      guard status.isSuccess || status.concernsCard || status == .timeout else {
        throw LibNFCObstacle.failure(of: connstring)
      }
    }
    return nil
  }

  /// Takes the power off all cards.
  private func restartField(_ device: Handle) throws {
    guard LibNFCStatus(nfc_device_set_property_bool(device.pointer, NP_ACTIVATE_FIELD, false)).isSuccess else {
      throw LibNFCObstacle.failure(of: connstring)
    }
    usleep(Self.resetTime)
    guard LibNFCStatus(nfc_device_set_property_bool(device.pointer, NP_ACTIVATE_FIELD, true)).isSuccess else {
      throw LibNFCObstacle.failure(of: connstring)
    }
  }

  /// How long a card is without a field until it has surely lost its state, in microseconds: 5.1 ms by ISO/IEC 14443-2, and
  /// something for slow ones.
  private static let resetTime: UInt32 = 10_000

  // MARK: - Commands

  private func exchange(_ command: [UInt8]) async throws -> [UInt8] {
    let limit = connstring.commandLengthLimit
    guard command.count <= limit else {
      throw CardError.commandTooLongForReader(length: command.count, limit: limit)
    }
    guard !command.isEmpty, let device = handle else { throw CardError.cardRemoved }
    try Task.checkCancellation()
    let timeout = Int32(clamping: answerTimeout.milliseconds)
    // What has nearly been answered may be answered.
    let status = await abortable(device, until: nil, patience: .milliseconds(250)) {
      LibNFCStatus(
        nfc_initiator_transceive_bytes(
          device.pointer, command, command.count, &responseBuffer, responseBuffer.count, timeout))
    }
    if status == .aborted { try Task.checkCancellation() }
    guard status.isSuccess else { throw cause(of: status, device) }
    return Array(responseBuffer.prefix(Int(status.code)))
  }

  /// Tells a card that is gone from a device that is gone, and both from mere disturbance, by asking the card for a sign
  /// of life.
  private func cause(of status: LibNFCStatus, _ device: Handle) -> CardError {
    if status == .targetReleased { return .cardRemoved }
    guard LibNFCObstacle.isPluggedIn(connstring) else { return .readerRemoved(reader: name) }
    let look = LibNFCStatus(nfc_initiator_target_is_present(device.pointer, nil))
    switch look {
    case _ where look.isSuccess:
      return status == .timeout ? .mute : .transmission(code: UInt32(bitPattern: status.code))
    // libnfc forgets a card that has been released, and has no argument then.
    case .targetReleased, .invalidArgument, .transmission, .chip: return .cardRemoved
    default: return LibNFCObstacle.failure(of: connstring)
    }
  }

  // MARK: - Calls that block

  /// Runs a call that blocks in libnfc; ended by the cancellation of the task and at the deadline.
  ///
  /// - Parameter patience: how long the call may go on after the cancellation.
  private func abortable(
    _ device: Handle, until deadline: ContinuousClock.Instant?, patience: Duration = .zero,
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
      call.interrupt(patience: patience)
    }
  }

  /// On this actor's thread: the closure above would run on a thread of the shared pool if it used nothing of the actor's.
  private func block(in call: AbortableCall, _ body: () -> LibNFCStatus) -> LibNFCStatus {
    guard call.begin() else { return .aborted }
    defer { call.end() }
    return body()
  }
}

/// Something that happens once.
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
