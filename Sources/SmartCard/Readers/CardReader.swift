/// A reader at one moment, of whichever stack.
public struct CardReader: Sendable, Equatable {
  /// Which stack drives it.
  public enum Interface: Sendable, Equatable {
    case pcsc
    case libnfc(LibNFCConnstring)
  }

  public let name: String
  public let interface: Interface
  /// The card in it, if there is one.
  public let card: AnswerToReset?
  /// Whether another program holds the card for itself.
  public let isInUse: Bool
  /// Why nothing can be said of a card; nil where something can, or where nobody looked.
  public let obstacle: CardError?
  /// The PC/SC service's event counter and state, which make the next wait start exactly where this look ended.
  let eventState: UInt

  init(name: String, card: AnswerToReset?, isInUse: Bool, eventState: UInt) {
    self.name = name
    interface = .pcsc
    self.card = card
    self.isInUse = isInUse
    obstacle = nil
    self.eventState = eventState
  }

  init(_ reader: LibNFCReader, card: AnswerToReset? = nil, obstacle: CardError? = nil) {
    self.init(
      name: reader.name, connstring: reader.connstring, card: card, isInUse: reader.holder == .program,
      obstacle: obstacle)
  }

  init(
    name: String, connstring: LibNFCConnstring, card: AnswerToReset? = nil, isInUse: Bool = false,
    obstacle: CardError? = nil
  ) {
    self.name = name
    interface = .libnfc(connstring)
    self.card = card
    self.isInUse = isInUse
    self.obstacle = obstacle
    eventState = 0
  }

  public static func == (left: CardReader, right: CardReader) -> Bool {
    left.name == right.name && left.interface == right.interface && left.card == right.card
      && left.isInUse == right.isInUse && left.obstacle == right.obstacle
  }
}

extension CardReader {
  /// Names of PC/SC are unique; of libnfc only the connstring is.
  func isSameDevice(as other: CardReader) -> Bool { name == other.name && interface == other.interface }
}

/// A change between two looks at the readers.
public enum ReaderEvent: Sendable, Equatable {
  case readerAdded(CardReader)
  case readerRemoved(name: String)
  case cardInserted(reader: String, AnswerToReset)
  case cardRemoved(reader: String)
  /// The PC/SC service has ended, and its readers with it; they are told again when it runs again.
  case serviceStopped

  /// The events that lead from one look to the next.
  static func between(_ old: [CardReader], _ new: [CardReader]) -> [ReaderEvent] {
    var events: [ReaderEvent] = []
    for reader in old where !new.contains(where: { $0.isSameDevice(as: reader) }) {
      events.append(.readerRemoved(name: reader.name))
    }
    for reader in new {
      guard let before = old.first(where: { $0.isSameDevice(as: reader) }) else {
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
