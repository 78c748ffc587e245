/// A PC/SC reader at one moment.
public struct CardReader: Sendable, Equatable {
  public let name: String
  /// The card in it, if there is one.
  public let card: AnswerToReset?
  /// Whether another program holds the card for itself.
  public let isInUse: Bool
  /// The service's event counter and state, which make the next wait start exactly where this look ended.
  let eventState: UInt

  public static func == (left: CardReader, right: CardReader) -> Bool {
    left.name == right.name && left.card == right.card && left.isInUse == right.isInUse
  }
}

/// A change between two looks at the readers.
public enum ReaderEvent: Sendable, Equatable {
  case readerAdded(CardReader)
  case readerRemoved(name: String)
  case cardInserted(reader: String, AnswerToReset)
  case cardRemoved(reader: String)

  /// The events that lead from one look to the next.
  static func between(_ old: [CardReader], _ new: [CardReader]) -> [ReaderEvent] {
    var events: [ReaderEvent] = []
    for reader in old where !new.contains(where: { $0.name == reader.name }) {
      events.append(.readerRemoved(name: reader.name))
    }
    for reader in new {
      guard let before = old.first(where: { $0.name == reader.name }) else {
        events.append(.readerAdded(reader))
        continue
      }
      // The upper half of the state counts insertions and removals: a card that was changed between two looks is
      // told as both, though it looks the same.
      let counted = before.eventState >> 16 != reader.eventState >> 16
      switch (before.card, reader.card) {
      case (nil, let card?): events.append(.cardInserted(reader: reader.name, card))
      case (.some, nil): events.append(.cardRemoved(reader: reader.name))
      case (let old?, let new?) where counted || old != new:
        events += [.cardRemoved(reader: reader.name), .cardInserted(reader: reader.name, new)]
      default: break
      }
    }
    return events
  }
}
