import TesseraSmartCard

/// How many readers a source has, and in how many of them is a card. Of a libnfc device only its connection is known: to
/// look for cards would block it for every other program.
public struct CardPresence: Sendable, Equatable {
  public var readers: Int
  public var cards: Int

  public init(readers: Int = 0, cards: Int = 0) { (self.readers, self.cards) = (readers, cards) }
}

extension Readers {
  /// How long to wait before a service that does not run is looked for again.
  private static let serviceDelay = Duration.seconds(5)

  /// How long the first look may take.
  private static let firstLook = Duration.seconds(2)

  /// The presence in the readers that `isWanted` selects: now, and after each change, until the consumer stops listening.
  static func presences(
    of isWanted: @escaping @Sendable (CardReader) -> Bool
  ) -> AsyncStream<CardPresence> {
    AsyncStream { continuation in
      let task = Task {
        var known = await present(isWanted)
        continuation.yield(presence(known))
        while !Task.isCancelled {
          await follow(isWanted, known) { continuation.yield($0) }
          // The readers of a service that does not run are gone.
          known = [:]
          continuation.yield(CardPresence())
          try? await Task.sleep(for: serviceDelay)
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// By the readers' names: whether there is a card.
  private static func present(_ isWanted: @Sendable (CardReader) -> Bool) async -> [String: Bool] {
    let pcsc = (try? await PCSCContext.currentReaders(within: firstLook).get()) ?? []
    let all = pcsc + devices(besides: pcsc).map { CardReader($0) }
    return Dictionary(all.filter(isWanted).map { ($0.name, $0.card != nil) }) { $0 || $1 }
  }

  private static func presence(_ readers: [String: Bool]) -> CardPresence {
    CardPresence(readers: readers.count, cards: readers.values.count { $0 })
  }

  /// Returns when the readers cannot be followed.
  ///
  /// - Parameter known: what was reported. The events begin with each reader that is there.
  private static func follow(
    _ isWanted: @Sendable (CardReader) -> Bool, _ known: [String: Bool], _ report: @Sendable (CardPresence) -> Void
  ) async {
    var readers = known
    do {
      for try await event in events() {
        let before = readers
        switch event {
        case .readerAdded(let reader): if isWanted(reader) { readers[reader.name] = reader.card != nil }
        case .readerRemoved(let name): readers[name] = nil
        case .cardInserted(let name, _): if readers[name] != nil { readers[name] = true }
        case .cardRemoved(let name): if readers[name] != nil { readers[name] = false }
        case .serviceStopped: break
        }
        if readers != before { report(presence(readers)) }
      }
    } catch {}
  }
}
