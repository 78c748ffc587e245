/// Which reader and which card a program wants.
public struct CardSelection: Sendable {
  /// A unique part of the reader's name, in any case; nil for any reader with a contactless card.
  public var readerName: String?
  /// How long to wait for a card; nil waits for ever.
  public var timeout: Duration?
  /// Whether to wait for a reader too, when there is none.
  public var waitsForReader: Bool

  public init(readerName: String? = nil, timeout: Duration? = nil, waitsForReader: Bool = false) {
    self.readerName = readerName
    self.timeout = timeout
    self.waitsForReader = waitsForReader
  }

  /// Whether this is a reader that is meant.
  public func allows(_ reader: CardReader) -> Bool {
    readerName.map { reader.name.lowercased().contains($0.lowercased()) } ?? true
  }

  /// What the selection makes of the readers at one moment.
  enum Outcome: Equatable {
    case found(CardReader)
    case wait
  }

  /// - Throws: `CardError` where waiting would not help.
  func choose(from readers: [CardReader]) throws(CardError) -> Outcome {
    if let readerName {
      let matching = readers.filter(allows)
      let exact = matching.filter { $0.name == readerName }
      let candidates = exact.isEmpty ? matching : exact
      guard candidates.count < 2 else { throw .ambiguousReader(names: candidates.map(\.name)) }
      guard let reader = candidates.first else {
        if waitsForReader { return .wait }
        throw .readerNotFound(name: readerName)
      }
      guard let card = reader.card else { return .wait }
      guard !card.isStorageCard else { throw .notSmartCard }
      return .found(reader)
    }
    guard !readers.isEmpty || waitsForReader else { throw .noReader }
    let contactless = readers.filter { $0.card?.isContactless == true }
    let usable = contactless.filter { $0.card?.isStorageCard == false }
    guard usable.count < 2 else { throw .ambiguousReader(names: usable.map(\.name)) }
    if let reader = usable.first { return .found(reader) }
    guard contactless.isEmpty else { throw .notSmartCard }
    return .wait
  }
}

extension PCSCContext {
  /// Waits for the card that `selection` describes and connects to it. A service that ends meanwhile is given some seconds
  /// to be started again.
  ///
  /// The time limit holds for what PC/SC has none for, too: the end of another program's transaction, a service that hangs.
  ///
  /// - Parameter onWaiting: is called once when no card is there yet.
  /// - Throws: `CardError`; `CancellationError` at once when the task is cancelled.
  public nonisolated func card(
    _ selection: CardSelection, onWaiting: @escaping @Sendable () -> Void = {}
  ) async throws -> Card {
    let work = AbandonableWork<Card>(
      limit: selection.timeout.map { $0 + Self.connectionTime }, patience: Self.patience, onAbandon: {},
      onLate: { await $0.disconnect() })
    return try await work.value(orThrow: self.obstacle) {
      do {
        return try await self.awaitCard(selection, onWaiting: onWaiting)
      } catch {
        await self.releaseIfUnused()
        throw error
      }
    }
  }

  /// The readers and the cards in them, now, by a context of its own; nor does a service that hangs hold this up.
  public static func look(within time: Duration = .seconds(10)) async -> Result<[CardReader], CardError> {
    let work = AbandonableWork<Result<[CardReader], CardError>>(
      limit: time, patience: .zero, onAbandon: {}, onLate: { _ in })
    do {
      return try await work.value(orThrow: CardError.serviceUnresponsive) {
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

  /// How long it may take to connect to a card that came at the last moment, or to give one back.
  static let connectionTime = Duration.milliseconds(1_500)
  /// How long a call may take to notice that its task was cancelled.
  static let patience = Duration.milliseconds(500)

  /// Why a call does not return.
  private nonisolated var obstacle: CardError {
    awaited.withLock { $0 }.map { .readerInUse(reader: $0) } ?? .serviceUnresponsive
  }

  private func awaitCard(_ selection: CardSelection, onWaiting: @Sendable () -> Void) async throws -> Card {
    let deadline = selection.timeout.map { ContinuousClock.now + $0 }
    var selection = selection
    var readers = try self.readers()
    var announced = false
    var isMute = false
    while true {
      var hasFailed = false
      switch try selection.choose(from: readers) {
      case .found(let reader):
        switch tryToConnect(reader) {
        case .success(let card): return card
        // It left between the look and the connection, or lies badly: go on waiting.
        case .failure(.cardRemoved): (isMute, hasFailed) = (false, true)
        case .failure(.notSmartCard): (isMute, hasFailed) = (true, true)
        // The next look tells whether it comes back.
        case .failure(.serviceUnavailable): release()
        case .failure(let error): throw error
        }
      case .wait: break
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
        throw CardError.noCard(seconds: Int(selection.timeout?.components.seconds ?? 0))
      }
      do {
        // No event tells that a card that lies there would answer now.
        let nextLook = ContinuousClock.now + .seconds(1)
        let limit = hasFailed ? deadline.map { min($0, nextLook) } ?? nextLook : deadline
        readers = try await change(from: readers, until: limit)
      } catch CardError.serviceUnavailable {
        readers = try await readersOfRestartedService(
          lookingEvery: .milliseconds(200), until: min(.now + Self.restartTime, deadline ?? .now + Self.restartTime))
        // The new service may still be looking for the reader that the last one had.
        selection.waitsForReader = true
      }
    }
  }

  /// How long a service that has ended may take to be there again: an update or a hand restarts it, and systemd does at the
  /// next call.
  private static let restartTime = Duration.seconds(10)

  /// The readers of a service that runs again.
  ///
  /// - Throws: why there are none by `limit`, `CardError.serviceUnavailable` as a rule.
  private func readersOfRestartedService(
    lookingEvery pause: Duration, until limit: ContinuousClock.Instant?
  ) async throws -> [CardReader] {
    while true {
      release()
      do {
        return try readers()
      } catch {
        // Whatever it is: a service on its way out or in has other words for it, too.
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

  /// The readers now, then every change, until the consumer stops listening; by a context of its own. A service that ends
  /// takes its readers along, and is followed again when it runs again; one that does not run at the beginning is an error.
  public static func events() -> AsyncThrowingStream<ReaderEvent, any Error> {
    AsyncThrowingStream { continuation in
      let context = PCSCContext()
      let task = Task {
        do {
          var known: [CardReader] = []
          var now = try await context.readers()
          while true {
            for event in ReaderEvent.between(known, now) { continuation.yield(event) }
            known = now
            do {
              now = try await context.change(from: known, until: nil)
            } catch CardError.serviceUnavailable {
              for event in ReaderEvent.between(known, []) + [.serviceStopped] { continuation.yield(event) }
              known = []
              now = try await context.readersOfRestartedService(lookingEvery: .seconds(1), until: nil)
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
