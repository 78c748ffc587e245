import TesseraThreads

/// The field of a reader, with one card or none. It can be changed from any thread at any time.
public final class ContactlessField: Sendable {
  private struct State {
    var card: ContactlessCard?
    var placements = 0
    var hidesDeselections = false
    var exchanges = 0
    var events: [Int: @Sendable () -> Void] = [:]
    var onChange: @Sendable () -> Void = {}
  }

  private let state: Locked<State>

  public init(_ card: ContactlessCard? = nil) { state = Locked(State(card: card)) }

  public var card: ContactlessCard? { state.withLock { $0.card } }

  /// The number of commands that a reader sent to cards in the field.
  public var exchanges: Int { state.withLock { $0.exchanges } }

  /// Whether the card ignores its deselection, like a card with a bad connection.
  public var hidesDeselections: Bool {
    get { state.withLock { $0.hidesDeselections } }
    set { state.withLock { $0.hidesDeselections = newValue } }
  }

  /// A number that changes with every placement of a card.
  var placement: Int { state.withLock { $0.placements } }

  public func place(_ card: ContactlessCard) { change { $0.card = card } }

  public func removeCard() { change { $0.card = nil } }

  /// Runs a closure immediately before a command reaches the card.
  ///
  /// - Parameter exchange: The number of the command, counted from 1 over all cards.
  public func before(exchange: Int, _ event: @escaping @Sendable () -> Void) {
    state.withLock { $0.events[exchange] = event }
  }

  /// Runs a closure immediately before the exchange after the next `count` ones.
  public func after(exchanges count: Int, _ event: @escaping @Sendable () -> Void) {
    state.withLock { $0.events[$0.exchanges + count + 1] = event }
  }

  // MARK: - The reader's side

  /// - Parameter onChange: Called after a card was placed or removed.
  func attach(_ onChange: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = onChange } }

  /// - Returns: The response; nil if no card answers.
  func exchange(_ command: [UInt8]) -> [UInt8]? {
    let event = state.withLock { state in
      state.exchanges += 1
      return state.events.removeValue(forKey: state.exchanges)
    }
    event?()
    return card?.answer(command)
  }

  private func change(_ body: (inout State) -> Void) {
    let onChange = state.withLock { state in
      body(&state)
      state.placements += 1
      return state.onChange
    }
    onChange()
  }
}
