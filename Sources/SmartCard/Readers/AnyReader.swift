/// A wait for a card at every reader of both stacks at once; the first card wins.
public enum AnyReader {
  /// Waits for a card in a PC/SC reader or on a device of libnfc's.
  ///
  /// A card that lies in a PC/SC reader already is taken without a look at libnfc.
  ///
  /// - Parameter onWaiting: is called once when no card is there yet.
  /// - Throws: `CardError`; `CancellationError` soon when the task is cancelled.
  public static func card(
    _ selection: CardSelection, onWaiting: @escaping @Sendable () -> Void = {}
  ) async throws -> Card {
    let deadline = selection.timeout.map { ContinuousClock.now + $0 }
    let longest = Duration.seconds(10)
    let looked = await PCSCContext.look(
      within: selection.timeout.map { min($0 + PCSCContext.connectionTime, longest) } ?? longest)
    // A service that is missing or refuses this user is no obstacle where libnfc has a device.
    let readers = try? looked.get()
    let changes = Readers.changes()
    let devices = free()
    if readers == nil, devices.isEmpty {
      if looked == .failure(.serviceUnavailable) { throw CardError.noReaderAnywhere }
      _ = try looked.get()
    }
    guard !devices.isEmpty || (selection.waitsForReader && LibNFCConfiguration.current.looksForDevices) else {
      return try await cardOverPCSC(selection, until: deadline, onWaiting)
    }
    if let readers, !readers.isEmpty, case .found = try selection.choose(from: readers) {
      return try await cardOverPCSC(selection, until: deadline, onWaiting)
    }
    onWaiting()
    return try await race(selection, devices, changes, until: deadline, hasService: readers != nil)
  }

  /// What is left of the time after the first look.
  private static func cardOverPCSC(
    _ selection: CardSelection, until deadline: ContinuousClock.Instant?, _ onWaiting: @escaping @Sendable () -> Void
  ) async throws -> Card {
    var rest = selection
    rest.timeout = deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
    do {
      return try await PCSCContext().card(rest, onWaiting: onWaiting)
    } catch {
      throw told(error, selection)
    }
  }

  /// Devices of libnfc's that nobody has.
  private static func free() -> [LibNFCConnstring] {
    LibNFCReader.all().filter { $0.holder == nil }.map(\.connstring)
  }

  private enum Result: Sendable {
    case card(Card)
    case failure(LibNFCConnstring?, any Error)
    /// Something was plugged in or out.
    case change
    /// The time is over, and what waited has had some time to say so itself.
    case timeUp(isFinal: Bool)
  }

  private static func race(
    _ selection: CardSelection, _ devices: [LibNFCConnstring], _ changes: AsyncStream<Void>,
    until deadline: ContinuousClock.Instant?, hasService: Bool
  ) async throws -> Card {
    try await withThrowingTaskGroup(of: Result.self) { group in
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
        // A reader may come as long as another one is waited for.
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
      if selection.waitsForReader { group.addTask { await change(changes) } }
      func startTimer(_ grace: Duration, isFinal: Bool) {
        guard let deadline else { return }
        group.addTask {
          try? await Task.sleep(until: deadline + grace, clock: .continuous)
          return .timeUp(isFinal: isFinal)
        }
      }
      startTimer(.milliseconds(500), isFinal: false)
      var first: (any Error)?
      while let result = try await group.next() {
        switch result {
        case .card(let card):
          group.cancelAll()
          await giveBack(&group)
          return card
        case .timeUp(let isFinal):
          try Task.checkCancellation()
          guard isFinal || running.isEmpty else {
            startTimer(.milliseconds(2_500), isFinal: true)
            continue
          }
          group.cancelAll()
          await giveBack(&group)
          throw first ?? noCard(selection)
        case .change:
          for connstring in free() { start(connstring) }
          if !Task.isCancelled { group.addTask { await change(changes) } }
        case .failure(let connstring, let error):
          running.remove(connstring)
          // As long as something else is waited for, the service may be started again, or the card be laid on better.
          if connstring == nil, !isFinal(error), !running.isEmpty, isBefore(deadline) {
            if error as? CardError != .serviceUnavailable { first = graver(first, told(error, selection), selection) }
            startPCSC(after: .seconds(1))
            continue
          }
          first = graver(first, told(error, selection), selection)
          // A device that is plugged in later may do; but for the readers that the service has, only it can tell.
          let mayCome = selection.waitsForReader && connstring != nil && isBefore(deadline)
          let isHopeless = isFinal(error) || (running.isEmpty && !mayCome)
          guard isHopeless else { continue }
          group.cancelAll()
          await giveBack(&group)
          throw first ?? error
        }
      }
      throw first ?? CardError.noReader
    }
  }

  /// The next time that a device of USB came or went, and once at the beginning: what was plugged in between the first look
  /// and the first wait is found by that.
  private static func change(_ changes: AsyncStream<Void>) async -> Result {
    for await _ in changes { return .change }
    // Nobody will tell: wait for the end.
    try? await Task.sleep(for: .seconds(.max / 4))
    return .change
  }

  /// Cards that came at the same time as the first one are not used.
  private static func giveBack(_ group: inout ThrowingTaskGroup<Result, any Error>) async {
    while let result = try? await group.next() {
      if case .card(let card) = result { await card.disconnect() }
    }
  }

  private static func isBefore(_ deadline: ContinuousClock.Instant?) -> Bool { deadline.map { .now < $0 } ?? true }

  /// Whether waiting elsewhere would not be what the user wants: several cards, or one of the wrong kind, or the end.
  private static func isFinal(_ error: any Error) -> Bool {
    switch error {
    case CardError.ambiguousReader, CardError.notSmartCard, CardError.readerNotFound: true
    case is CancellationError: true
    default: false
    }
  }

  /// Of two errors the one to tell: that no card came says less than anything else, except where nobody named a reader.
  private static func graver(_ first: (any Error)?, _ second: any Error, _ selection: CardSelection) -> any Error {
    // What was left of the time for one of them is not what the user gave.
    if case CardError.noCard = second, first == nil { return noCard(selection) }
    guard let first, !isFinal(second) else { return second }
    if case CardError.noCard = first { return first }
    if case CardError.noCard = second { return noCard(selection) }
    return first
  }

  /// What waited last had only the rest of the time.
  private static func told(_ error: any Error, _ selection: CardSelection) -> any Error {
    if case CardError.noCard = error { return noCard(selection) }
    return error
  }

  private static func noCard(_ selection: CardSelection) -> CardError {
    .noCard(seconds: Int(selection.timeout?.components.seconds ?? 0))
  }
}
