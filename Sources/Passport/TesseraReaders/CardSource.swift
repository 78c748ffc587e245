import TesseraSmartCard

/// The source of a card: a reader, or a software chip.
///
/// ```swift
/// let dump = try await source.withCard { card in
///   try await Inspection.read(card, InspectionRequest(key: .mrz(key)))
/// }
/// ```
public struct CardSource: Sendable {
  private let connect: @Sendable (_ onWaiting: @escaping @Sendable () -> Void) async throws -> Card
  private let availability: @Sendable () async -> Bool
  private let changes: @Sendable () -> AsyncStream<CardPresence>

  /// A source of another kind, for example a network protocol or a test.
  ///
  /// - Parameters:
  ///   - isAvailable: Whether a card could come from this source.
  ///   - presences: What the source has, now and after each change; by default a card, always.
  ///   - connect: Waits for a card and connects to it. It calls its parameter once if there is no card yet.
  public init(
    isAvailable: @escaping @Sendable () async -> Bool = { true },
    presences: @escaping @Sendable () -> AsyncStream<CardPresence> = Self.alwaysPresent,
    connect: @escaping @Sendable (_ onWaiting: @escaping @Sendable () -> Void) async throws -> Card
  ) {
    self.connect = connect
    availability = isAvailable
    changes = presences
  }

  /// A card that nobody can take away.
  public static func alwaysPresent() -> AsyncStream<CardPresence> {
    AsyncStream { $0.yield(CardPresence(readers: 1, cards: 1)) }
  }

  /// What the source has: at once, and after each change, until the consumer stops listening.
  public func presences() -> AsyncStream<CardPresence> { changes() }

  /// The reader of either stack that detects a card first. A PC/SC reader that already has a card takes precedence over
  /// libnfc.
  public static func any(_ selection: CardSelection) -> CardSource {
    CardSource(
      isAvailable: {
        if LibNFCReader.all().contains(where: { $0.owner == nil }) { return true }
        return await CardSource.pcsc(selection).isAvailable()
      },
      presences: { Readers.presences { $0.interface != .pcsc || selection.allows($0) } },
      connect: { try await AnyReader.card(selection, onWaiting: $0) })
  }

  /// A PC/SC reader.
  public static func pcsc(_ selection: CardSelection) -> CardSource {
    CardSource(
      isAvailable: {
        guard let readers = try? await PCSCContext.currentReaders().get() else { return false }
        return readers.contains(where: selection.allows)
      },
      presences: { Readers.presences { $0.interface == .pcsc && selection.allows($0) } },
      connect: { try await PCSCContext().card(selection, onWaiting: $0) })
  }

  /// A libnfc device.
  ///
  /// - Parameters:
  ///   - connstring: the connection string of the device.
  ///   - timeout: How long to wait for a card; nil to wait without a limit.
  public static func libnfc(_ connstring: LibNFCConnstring, timeout: Duration?) -> CardSource {
    CardSource(
      isAvailable: { connstring.isPluggedIn },
      presences: { Readers.presences { $0.interface == .libnfc(connstring) } },
      connect: { try await LibNFCDevice(connstring).card(timeout: timeout, onWaiting: $0) })
  }

  /// Connects to a card, passes it to `body`, and disconnects it, whether `body` returns or throws.
  ///
  /// - Parameters:
  ///   - onWaiting: Called once if there is no card yet.
  ///   - body: uses the card.
  /// - Throws: `CardError`, `CancellationError`, and what `body` throws.
  public func withCard<Result>(
    onWaiting: @escaping @Sendable () -> Void = {}, _ body: (Card) async throws -> Result
  ) async throws -> Result {
    let card = try await connect(onWaiting)
    do {
      let result = try await body(card)
      await card.disconnect()
      return result
    } catch {
      await card.disconnect()
      throw error
    }
  }

  /// Whether a card could come from this source: a reader is plugged in, or none is needed.
  public func isAvailable() async -> Bool { await availability() }
}
