import Threads

/// What a connection's bytes come to, each looked at once. Clients poll: to read everything again each time costs
/// the square of it, which a busy machine does not have.
final class GradualReading<Item: Sendable>: Sendable {
  private struct State {
    var items: [Item] = []
    var offset: Int
  }
  private let state: Locked<State>
  private let first: @Sendable (ArraySlice<UInt8>) -> (item: Item?, length: Int)?

  /// - Parameters:
  ///   - offset: where the first item begins.
  ///   - first: the first item of these bytes and its length, nil where it has not come whole; without an item
  ///     where this length is none.
  init(from offset: Int = 0, first: @escaping @Sendable (ArraySlice<UInt8>) -> (item: Item?, length: Int)?) {
    state = Locked(State(offset: offset))
    self.first = first
  }

  /// The whole items that have come.
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
