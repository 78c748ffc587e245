/// A wait for a card at every reader of both stacks at once; the first card wins.
public enum AnyReader {
  /// Waits for a card in a PC/SC reader or on a device of libnfc's.
  ///
  /// A card that lies in a PC/SC reader already is taken without a look at libnfc.
  ///
  /// - Parameter onWaiting: is called once when no card is there yet.
  /// - Throws: `CardError`; `CancellationError` soon when the task is cancelled.
  public static func card(_ selection: CardSelection, onWaiting: @Sendable () -> Void = {}) async throws -> Card {
    let context = PCSCContext()
    let looked = await context.readersOrError()
    let readers = looked == .failure(.serviceUnavailable) ? nil : try looked.get()
    let devices = free()
    if readers == nil, devices.isEmpty { throw CardError.noReaderAnywhere }
    guard !devices.isEmpty || (selection.waitsForReader && LibNFCConfiguration.current.looksForDevices) else {
      return try await context.card(selection, onWaiting: onWaiting)
    }
    if let readers, !readers.isEmpty, case .found = try selection.choose(from: readers) {
      return try await context.card(selection, onWaiting: onWaiting)
    }
    onWaiting()
    return try await race(selection, devices, hasService: readers != nil)
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
    /// The time is over, and what waited has had a moment to say so itself.
    case timeUp
  }

  private static func race(
    _ selection: CardSelection, _ devices: [LibNFCConnstring], hasService: Bool
  ) async throws -> Card {
    let deadline = selection.timeout.map { ContinuousClock.now + $0 }
    return try await withThrowingTaskGroup(of: Result.self) { group in
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
      if hasService {
        running.insert(nil)
        var selection = selection
        selection.timeout = remaining()
        // A reader may come as long as another one is waited for.
        selection.waitsForReader = true
        group.addTask { [selection] in
          do {
            return .card(try await PCSCContext().card(selection))
          } catch {
            return .failure(nil, error)
          }
        }
      }
      for connstring in devices { start(connstring) }
      if selection.waitsForReader { group.addTask { await change() } }
      if let deadline {
        group.addTask {
          try? await Task.sleep(until: deadline + .milliseconds(500), clock: .continuous)
          return .timeUp
        }
      }
      var first: (any Error)?
      while let result = try await group.next() {
        switch result {
        case .card(let card):
          group.cancelAll()
          await giveBack(&group)
          return card
        case .timeUp:
          try Task.checkCancellation()
          group.cancelAll()
          await giveBack(&group)
          throw first ?? noCard(selection)
        case .change:
          for connstring in free() { start(connstring) }
          if !Task.isCancelled { group.addTask { await change() } }
        case .failure(let connstring, let error):
          running.remove(connstring)
          first = graver(first, told(error, selection), selection)
          let isHopeless = isFinal(error) || (running.isEmpty && !(selection.waitsForReader && isBefore(deadline)))
          guard isHopeless else { continue }
          group.cancelAll()
          await giveBack(&group)
          throw first ?? error
        }
      }
      throw first ?? CardError.noReader
    }
  }

  /// The next time that a device of USB came or went.
  private static func change() async -> Result {
    var isFirst = true
    for await _ in Readers.changes() {
      if !isFirst { return .change }
      isFirst = false
    }
    // Nobody will tell: wait for the end.
    await Readers.untilCancelled()
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
