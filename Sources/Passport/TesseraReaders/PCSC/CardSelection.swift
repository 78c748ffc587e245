import TesseraSmartCard
import TesseraThreads

/// Criteria for the choice of a reader and its card, and the time limit for the wait.
public struct CardSelection: Sendable {
  /// A unique part of the reader's name, in upper or lower case; nil for any reader with a contactless card. If all slots of
  /// one reader have it, such as those for a passport and for a SAM, the slot with a contactless card is used.
  public var readerName: String?
  /// How long to wait for a card; nil to wait without a limit.
  public var timeout: Duration?
  /// Whether to wait for a reader too if none is connected, and for the PC/SC service if it does not run.
  public var waitsForReader: Bool

  public init(readerName: String? = nil, timeout: Duration? = nil, waitsForReader: Bool = false) {
    self.readerName = readerName
    self.timeout = timeout
    self.waitsForReader = waitsForReader
  }

  /// Whether the name of this reader matches.
  package func allows(_ reader: CardReader) -> Bool {
    readerName.map { reader.name.lowercased().contains($0.lowercased()) } ?? true
  }

  /// The readers that the name selects: those with exactly this name, otherwise those whose name contains it.
  private func candidates(in readers: [CardReader]) -> [CardReader] {
    let matching = readers.filter(allows)
    let exact = matching.filter { $0.name == readerName }
    return exact.isEmpty ? matching : exact
  }

  /// The error after the time limit. A contact card is not used unless one slot was selected by name, but it is named.
  func noCard(in readers: [CardReader]) -> CardError {
    let seconds = Int(timeout?.components.seconds ?? 0)
    let candidates = candidates(in: readers)
    let contact = candidates.first { $0.card?.isContactless == false }
    guard readerName == nil || candidates.count > 1, let contact else { return .noCard(seconds: seconds) }
    return .contactCardOnly(reader: contact.name, seconds: seconds)
  }

  /// The result of applying the selection to the readers at one moment.
  enum Outcome: Equatable {
    case found(CardReader)
    case wait
  }

  /// - Throws: `CardError` if waiting would not help.
  func choose(from readers: [CardReader]) throws(CardError) -> Outcome {
    if let readerName {
      let candidates = candidates(in: readers)
      guard candidates.count < 2 else {
        let names = candidates.map(\.name)
        guard SlotName.areOfOneReader(names) else { throw .ambiguousReader(names: names) }
        return try Self.contactless(in: candidates)
      }
      guard let reader = candidates.first else {
        if waitsForReader { return .wait }
        throw .readerNotFound(name: readerName)
      }
      guard let card = reader.card else { return .wait }
      guard !card.isStorageCard else { throw .notSmartCard }
      return .found(reader)
    }
    guard !readers.isEmpty || waitsForReader else { throw .noReader }
    return try Self.contactless(in: readers)
  }

  private static func contactless(in readers: [CardReader]) throws(CardError) -> Outcome {
    let contactless = readers.filter { $0.card?.isContactless == true }
    let usable = contactless.filter { $0.card?.isStorageCard == false }
    guard usable.count < 2 else { throw .ambiguousReader(names: usable.map(\.name)) }
    if let reader = usable.first { return .found(reader) }
    guard contactless.isEmpty else { throw .notSmartCard }
    return .wait
  }
}

extension PCSCContext {
  /// Waits for a card that matches `selection` and connects to it. If the service ends meanwhile, it has some seconds
  /// to be started again.
  ///
  /// The time limit applies to operations for which PC/SC has none, too: the wait for the end of another program's
  /// transaction, and calls to a service that hangs.
  ///
  /// - Parameter onWaiting: Called once if there is no card yet.
  /// - Throws: `CardError`; `CancellationError` at once when the task is cancelled.
  package nonisolated func card(
    _ selection: CardSelection, onWaiting: @escaping @Sendable () -> Void = {}
  ) async throws -> Card {
    try await withTimeLimit(
      selection.timeout.map { $0 + Self.connectionTime }, gracePeriod: Self.gracePeriod, orThrow: self.stuckError,
      onLateResult: { await $0.disconnect() },
      {
        do {
          return try await self.awaitCard(selection, onWaiting: onWaiting)
        } catch {
          await self.releaseIfUnused()
          throw error
        }
      })
  }

  /// The readers that are connected and the cards in them, through a separate context. The time limit applies even if
  /// the service hangs.
  static func currentReaders(within time: Duration = .seconds(10)) async -> Result<[CardReader], CardError> {
    do {
      return try await withTimeLimit(time, orThrow: CardError.serviceUnresponsive) {
        let context = PCSCContext()
        let readers = await context.readersAsResult()
        await context.release()
        return readers
      }
    } catch {
      return .failure(error as? CardError ?? .serviceUnresponsive)
    }
  }

  private func readersAsResult() -> Result<[CardReader], CardError> {
    do {
      return .success(try readers())
    } catch {
      return .failure(error)
    }
  }

  /// How long it may take to connect to a card that was detected at the last moment, or to disconnect one.
  static let connectionTime = Duration.milliseconds(1_500)
  /// How long a call may take to return after its task was cancelled.
  static let gracePeriod = Duration.milliseconds(500)

  /// The reason why a call does not return.
  private nonisolated var stuckError: CardError {
    awaited.withLock { $0 }.map { .readerBlocked(reader: $0) } ?? .serviceUnresponsive
  }

  private func awaitCard(_ selection: CardSelection, onWaiting: @Sendable () -> Void) async throws -> Card {
    let deadline = selection.timeout.map { ContinuousClock.now + $0 }
    var selection = selection
    var readers: [CardReader]
    var announced = false
    switch readersAsResult() {
    case .success(let now): readers = now
    case .failure(let error):
      guard error == .serviceUnavailable, selection.waitsForReader else { throw error }
      announced = true
      onWaiting()
      readers = try await readersOfRestartedService(pollingEvery: .milliseconds(500), until: deadline)
    }
    var isMute = false
    var occupiedSince: ContinuousClock.Instant?
    while true {
      var hasFailed = false
      switch try selection.choose(from: readers) {
      case .found(let reader):
        switch tryToConnect(reader) {
        case .success(let card): return card
        // The card was removed before the connection, or is misplaced: continue to wait.
        case .failure(.cardRemoved): (isMute, hasFailed, occupiedSince) = (false, true, nil)
        case .failure(.notSmartCard): (isMute, hasFailed, occupiedSince) = (true, true, nil)
        // Programs that look at every card, such as scdaemon, have exclusive access for a moment.
        case .failure(let error) where error == .readerInUse(reader: reader.name):
          let since = occupiedSince ?? .now
          let limit = since + Self.occupationTime
          guard ContinuousClock.now < deadline.map({ min($0, limit) }) ?? limit else { throw error }
          (occupiedSince, hasFailed) = (since, true)
        // The next call shows whether the service runs again.
        case .failure(let error) where error.isServiceLoss:
          occupiedSince = nil
          release()
        case .failure(let error): throw error
        }
      case .wait: occupiedSince = nil
      }
      if !announced {
        announced = true
        onWaiting()
      }
      if let deadline, ContinuousClock.now >= deadline {
        if readers.isEmpty { throw CardError.noReader }
        if let name = selection.readerName, !readers.contains(where: selection.allows) {
          throw CardError.readerNotFound(name: name)
        }
        if isMute { throw CardError.notSmartCard }
        throw selection.noCard(in: readers)
      }
      do {
        // No event reports that a misplaced card would answer now.
        let nextTry = ContinuousClock.now + .seconds(1)
        let limit = hasFailed ? deadline.map { min($0, nextTry) } ?? nextTry : deadline
        readers = try await change(from: readers, until: limit)
      } catch let error as CardError where error.isServiceLoss {
        readers = try await readersOfRestartedService(
          pollingEvery: .milliseconds(200), until: min(.now + Self.restartTime, deadline ?? .now + Self.restartTime))
        // The new service may not have detected the reader yet.
        selection.waitsForReader = true
      }
    }
  }

  /// How long another program may have exclusive access to a card before that is an error.
  private static let occupationTime = Duration.seconds(5)

  /// How long a service that has ended may take to run again: an update or an administrator restarts it, or systemd at
  /// the next call.
  private static let restartTime = Duration.seconds(10)

  /// Waits until the service runs again, and returns its readers.
  ///
  /// - Throws: The last error at `limit`, usually `CardError.serviceUnavailable`.
  private func readersOfRestartedService(
    pollingEvery pause: Duration, until limit: ContinuousClock.Instant?
  ) async throws -> [CardReader] {
    while true {
      release()
      do {
        return try readers()
      } catch {
        // Any error: a service that ends or starts reports other errors too.
        if let limit, limit <= .now { throw error }
      }
      try await Task.sleep(for: pause)
    }
  }

  private func tryToConnect(_ reader: CardReader) -> Result<Card, CardError> {
    do {
      return .success(try connect(reader))
    } catch {
      return .failure(error)
    }
  }

  /// The readers that are connected, then every change, until the consumer stops listening; through a separate context.
  /// When the service ends, its readers are reported as removed, and it is followed again when it runs again. If it
  /// does not run at the beginning, that is an error, or it is waited for.
  package static func events(waitsForService: Bool = false) -> AsyncThrowingStream<ReaderEvent, any Error> {
    AsyncThrowingStream { continuation in
      let context = PCSCContext()
      let task = Task {
        do {
          var known: [CardReader] = []
          var now: [CardReader]
          switch await context.readersAsResult() {
          case .success(let readers): now = readers
          case .failure(let error):
            guard error == .serviceUnavailable, waitsForService else { throw error }
            now = try await context.readersOfRestartedService(pollingEvery: .seconds(1), until: nil)
          }
          while true {
            for event in ReaderEvent.between(known, now) { continuation.yield(event) }
            known = now
            do {
              now = try await context.change(from: known, until: nil)
            } catch let error as CardError where error.isServiceLoss {
              for event in ReaderEvent.between(known, []) + [.serviceStopped] { continuation.yield(event) }
              known = []
              now = try await context.readersOfRestartedService(pollingEvery: .seconds(1), until: nil)
            }
          }
        } catch {
          await context.release()
          continuation.finish(throwing: error is CancellationError ? nil : error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
