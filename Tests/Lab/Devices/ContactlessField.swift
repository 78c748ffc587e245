import Threads

/// The space above a reader's antenna: a card lies there, or none. May be changed from any thread at any time.
public final class ContactlessField: Sendable {
  private struct State {
    var card: ContactlessCard?
    var exchanges = 0
    var events: [Int: @Sendable () -> Void] = [:]
    var onChange: @Sendable () -> Void = {}
  }

  private let state: Locked<State>

  public init(_ card: ContactlessCard? = nil) { state = Locked(State(card: card)) }

  public var card: ContactlessCard? { state.withLock { $0.card } }

  /// How many commands a reader has passed to cards here.
  public var exchanges: Int { state.withLock { $0.exchanges } }

  public func place(_ card: ContactlessCard) { change { $0.card = card } }

  public func removeCard() { change { $0.card = nil } }

  /// Lets something happen right before a command reaches the card.
  ///
  /// - Parameter exchange: counted from 1, over all cards.
  public func before(exchange: Int, _ event: @escaping @Sendable () -> Void) {
    state.withLock { $0.events[exchange] = event }
  }

  /// The same right before the exchange after the next `count` ones.
  public func after(exchanges count: Int, _ event: @escaping @Sendable () -> Void) {
    state.withLock { $0.events[$0.exchanges + count + 1] = event }
  }

  // MARK: - The reader's side

  /// - Parameter onChange: is called whenever a card comes or goes.
  func attach(_ onChange: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = onChange } }

  /// - Returns: the response; nil where no card answers.
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
      return state.onChange
    }
    onChange()
  }
}
