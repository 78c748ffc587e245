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
  /// Waits for the card that `selection` describes and connects to it.
  ///
  /// - Parameter onWaiting: is called once when no card is there yet.
  /// - Throws: `CardError`; `CancellationError` at once when the task is cancelled.
  public func card(_ selection: CardSelection, onWaiting: @Sendable () -> Void = {}) async throws -> Card {
    let deadline = selection.timeout.map { ContinuousClock.now + $0 }
    var readers = try self.readers()
    var announced = false
    var isMute = false
    while true {
      switch try selection.choose(from: readers) {
      case .found(let reader):
        switch tryToConnect(reader) {
        case .success(let card): return card
        // It left between the look and the connection, or lies badly: go on waiting.
        case .failure(.cardRemoved): isMute = false
        case .failure(.notSmartCard): isMute = true
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
      readers = try await change(from: readers, until: deadline)
    }
  }

  private func tryToConnect(_ reader: CardReader) -> Result<Card, CardError> {
    do {
      return .success(try connect(reader))
    } catch {
      return .failure(error)
    }
  }

  /// The readers now, then every change, until the consumer stops listening; by a context of its own.
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
            now = try await context.change(from: known, until: nil)
          }
        } catch {
          continuation.finish(throwing: error is CancellationError ? nil : error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
