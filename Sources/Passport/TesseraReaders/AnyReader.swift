import TesseraSmartCard

/// A wait for a card at every reader of both stacks at once.
enum AnyReader {
  /// Waits for a card in a PC/SC reader or on a libnfc device, and connects to the first one.
  ///
  /// If a PC/SC reader already has a card, the libnfc devices are not opened.
  ///
  /// - Parameter onWaiting: Called once if there is no card yet.
  /// - Throws: `CardError`; `CancellationError` soon after the task is cancelled.
  static func card(_ selection: CardSelection, onWaiting: @escaping @Sendable () -> Void = {}) async throws -> Card {
    let deadline = selection.timeout.map { ContinuousClock.now + $0 }
    let longest = Duration.seconds(10)
    let pcsc = await PCSCContext.currentReaders(
      within: selection.timeout.map { min($0 + PCSCContext.connectionTime, longest) } ?? longest)
    // If libnfc has a device, the PC/SC service need not run.
    let readers = try? pcsc.get()
    let changes = Readers.deviceChanges()
    let devices = freeDevices()
    // A service that does not run may be started while the user connects the reader.
    let waitsForService = selection.waitsForReader && pcsc == .failure(.serviceUnavailable)
    if readers == nil, devices.isEmpty, !waitsForService {
      if pcsc == .failure(.serviceUnavailable) { throw CardError.noReaderAnywhere }
      _ = try pcsc.get()
    }
    do {
      guard !devices.isEmpty || (selection.waitsForReader && LibNFCConfiguration.current.looksForDevices) else {
        return try await cardOverPCSC(selection, until: deadline, onWaiting)
      }
      if let readers, !readers.isEmpty, case .found = try selection.choose(from: readers) {
        return try await cardOverPCSC(selection, until: deadline, onWaiting)
      }
      onWaiting()
      return try await race(
        selection, devices, changes, until: deadline, hasService: readers != nil || waitsForService)
    } catch CardError.serviceUnavailable where waitsForService && devices.isEmpty {
      throw CardError.noReaderAnywhere
    }
  }

  private static func cardOverPCSC(
    _ selection: CardSelection, until deadline: ContinuousClock.Instant?, _ onWaiting: @escaping @Sendable () -> Void
  ) async throws -> Card {
    var remaining = selection
    remaining.timeout = deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
    do {
      return try await PCSCContext().card(remaining, onWaiting: onWaiting)
    } catch {
      throw withWholeTimeout(error, selection)
    }
  }

  /// The libnfc devices that are not in use.
  private static func freeDevices() -> [LibNFCConnstring] {
    LibNFCReader.all().filter { $0.owner == nil }.map(\.connstring)
  }

  private enum Event: Sendable {
    case card(Card)
    /// A wait failed: at this libnfc device, or at PC/SC (nil).
    case failure(LibNFCConnstring?, any Error)
    /// A USB device was connected or removed.
    case deviceChange
    /// The time limit was reached. The first time, the waits get some more time to report their own errors.
    case timeout(isFinal: Bool)
  }

  private static func race(
    _ selection: CardSelection, _ devices: [LibNFCConnstring], _ changes: AsyncStream<Void>,
    until deadline: ContinuousClock.Instant?, hasService: Bool
  ) async throws -> Card {
    try await withThrowingTaskGroup(of: Event.self) { group in
      var running: Set<LibNFCConnstring?> = []
      func remaining() -> Duration? { deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) } }
      func start(_ connstring: LibNFCConnstring) {
        guard running.insert(connstring).inserted else { return }
        let timeout = remaining()
        group.addTask {
          do {
            return .card(try await LibNFCDevice(connstring).card(timeout: timeout))
          } catch {
            return .failure(connstring, error)
          }
        }
      }
      func startPCSC(after pause: Duration = .zero) {
        running.insert(nil)
        var selection = selection
        selection.timeout = remaining().map { max(.zero, $0 - pause) }
        // While another device is waited for, a PC/SC reader may be connected too.
        selection.waitsForReader = true
        group.addTask { [selection] in
          do {
            try await Task.sleep(for: pause)
            return .card(try await PCSCContext().card(selection))
          } catch {
            return .failure(nil, error)
          }
        }
      }
      if hasService { startPCSC() }
      for connstring in devices { start(connstring) }
      if selection.waitsForReader { group.addTask { await nextChange(changes) } }
      func startTimer(_ delay: Duration, isFinal: Bool) {
        guard let deadline else { return }
        group.addTask {
          try? await Task.sleep(until: deadline + delay, clock: .continuous)
          return .timeout(isFinal: isFinal)
        }
      }
      startTimer(.milliseconds(500), isFinal: false)
      var first: (any Error)?
      while let event = try await group.next() {
        switch event {
        case .card(let card):
          group.cancelAll()
          await disconnectOthers(&group)
          return card
        case .timeout(let isFinal):
          try Task.checkCancellation()
          guard isFinal || running.isEmpty else {
            startTimer(.milliseconds(2_500), isFinal: true)
            continue
          }
          group.cancelAll()
          await disconnectOthers(&group)
          throw first ?? noCard(selection)
        case .deviceChange:
          for connstring in freeDevices() { start(connstring) }
          if !Task.isCancelled { group.addTask { await nextChange(changes) } }
        case .failure(let connstring, let error):
          running.remove(connstring)
          // While another device is waited for, the service may be restarted, and the card may be placed better.
          if connstring == nil, !isFinal(error), !running.isEmpty, isBefore(deadline) {
            if (error as? CardError)?.isServiceLoss != true {
              first = moreSpecific(first, withWholeTimeout(error, selection), selection)
            }
            startPCSC(after: .seconds(1))
            continue
          }
          first = moreSpecific(first, withWholeTimeout(error, selection), selection)
          // A libnfc device that is connected later may detect a card. Without one, an error of PC/SC is final.
          let canContinue = selection.waitsForReader && connstring != nil && isBefore(deadline)
          guard isFinal(error) || (running.isEmpty && !canContinue) else { continue }
          group.cancelAll()
          await disconnectOthers(&group)
          throw first ?? error
        }
      }
      throw first ?? CardError.noReader
    }
  }

  /// Waits for the next change of the USB devices. The first one is reported at once: it covers a device that was
  /// connected after the devices were listed.
  private static func nextChange(_ changes: AsyncStream<Void>) async -> Event {
    for await _ in changes { return .deviceChange }
    // No changes are reported: wait for the end.
    try? await Task.sleep(for: .seconds(.max / 4))
    return .deviceChange
  }

  /// Disconnects cards that were detected at the same time as the first one.
  private static func disconnectOthers(_ group: inout ThrowingTaskGroup<Event, any Error>) async {
    while let event = try? await group.next() {
      if case .card(let card) = event { await card.disconnect() }
    }
  }

  private static func isBefore(_ deadline: ContinuousClock.Instant?) -> Bool { deadline.map { .now < $0 } ?? true }

  /// Whether the wait at the other readers must end too.
  private static func isFinal(_ error: any Error) -> Bool {
    switch error {
    case CardError.ambiguousReader, CardError.notSmartCard, CardError.readerNotFound: true
    case is CancellationError: true
    default: false
    }
  }

  /// The error to report out of two: a final one, otherwise `noCard`, otherwise the first one.
  private static func moreSpecific(
    _ first: (any Error)?, _ second: any Error, _ selection: CardSelection
  ) -> any Error {
    if case CardError.noCard = second, first == nil { return noCard(selection) }
    guard let first, !isFinal(second) else { return second }
    if case CardError.noCard = first { return first }
    if case CardError.noCard = second { return noCard(selection) }
    return first
  }

  /// The error with the timeout of the whole wait: a wait that began later had only the rest of the time.
  private static func withWholeTimeout(_ error: any Error, _ selection: CardSelection) -> any Error {
    switch error {
    case CardError.noCard: noCard(selection)
    case CardError.contactCardOnly(let reader, _):
      CardError.contactCardOnly(reader: reader, seconds: Int(selection.timeout?.components.seconds ?? 0))
    default: error
    }
  }

  private static func noCard(_ selection: CardSelection) -> CardError {
    .noCard(seconds: Int(selection.timeout?.components.seconds ?? 0))
  }
}
