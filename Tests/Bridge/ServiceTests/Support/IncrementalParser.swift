import TesseraThreads

/// Parses the received bytes of a connection incrementally. Clients poll, and parsing everything again each time would
/// take quadratic time.
final class IncrementalParser<Item: Sendable>: Sendable {
  private struct State {
    var items: [Item] = []
    var offset: Int
  }
  private let state: Locked<State>
  private let first: @Sendable (ArraySlice<UInt8>) -> (item: Item?, length: Int)?

  /// - Parameters:
  ///   - offset: where the first item begins.
  ///   - first: returns the first item of these bytes and its length; nil if it is incomplete. Returns a length
  ///     without an item for bytes to skip.
  init(from offset: Int = 0, first: @escaping @Sendable (ArraySlice<UInt8>) -> (item: Item?, length: Int)?) {
    state = Locked(State(offset: offset))
    self.first = first
  }

  /// All complete items.
  func items(of connection: RawConnection) -> [Item] {
    state.withLock { state in
      var rest = connection.received(from: state.offset)[...]
      while let (item, length) = first(rest) {
        if let item { state.items.append(item) }
        state.offset += length
        rest = rest.dropFirst(length)
      }
      return state.items
    }
  }
}
