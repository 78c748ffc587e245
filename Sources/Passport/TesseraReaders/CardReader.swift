import TesseraSmartCard

/// A reader of either stack and the card in it, at one moment.
public struct CardReader: Sendable, Equatable {
  /// The stack that drives the reader.
  public enum Interface: Sendable, Equatable {
    case pcsc
    case libnfc(LibNFCConnstring)
  }

  public let name: String
  public let interface: Interface
  /// The card in the reader; nil if there is none.
  public let card: AnswerToReset?
  /// Whether another program has exclusive access to the card.
  public let isInUse: Bool
  /// Why the reader could not be checked for a card; nil if it could, or if that was not tried.
  public let error: CardError?
  /// The PC/SC service's event counter and state. The next wait starts exactly if this state ended.
  let eventState: UInt

  init(name: String, card: AnswerToReset?, isInUse: Bool, eventState: UInt) {
    self.name = name
    interface = .pcsc
    self.card = card
    self.isInUse = isInUse
    error = nil
    self.eventState = eventState
  }

  init(_ reader: LibNFCReader, card: AnswerToReset? = nil, error: CardError? = nil) {
    self.init(
      name: reader.name, connstring: reader.connstring, card: card, isInUse: reader.owner == .program, error: error)
  }

  init(
    name: String, connstring: LibNFCConnstring, card: AnswerToReset? = nil, isInUse: Bool = false,
    error: CardError? = nil
  ) {
    self.name = name
    interface = .libnfc(connstring)
    self.card = card
    self.isInUse = isInUse
    self.error = error
    eventState = 0
  }

  /// Compares everything except the event counter.
  public static func == (left: CardReader, right: CardReader) -> Bool {
    left.name == right.name && left.interface == right.interface && left.card == right.card
      && left.isInUse == right.isInUse && left.error == right.error
  }
}

extension CardReader {
  /// This reader as the source of a card, for a program that uses several. Of a PC/SC reader, every card counts, also
  /// one with contacts.
  ///
  /// - Parameter timeout: how long to wait for a card; nil to wait without a limit.
  public func source(timeout: Duration? = nil) -> CardSource {
    switch interface {
    case .pcsc: .pcsc(CardSelection(readerName: name, timeout: timeout))
    case .libnfc(let connstring): .libnfc(connstring, timeout: timeout)
    }
  }

  /// Names are unique in PC/SC; with libnfc only the connstring is.
  func isSameDevice(as other: CardReader) -> Bool { name == other.name && interface == other.interface }
}

/// A change of the readers or of the cards in them.
public enum ReaderEvent: Sendable, Equatable {
  case readerAdded(CardReader)
  case readerRemoved(name: String)
  case cardInserted(reader: String, AnswerToReset)
  case cardRemoved(reader: String)
  /// The PC/SC service ended, and its readers with it. They are reported again when it runs again.
  case serviceStopped

  /// The events that lead from one state of the readers to the next.
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
      // The upper half of the state counts insertions and removals. It shows that a card was replaced between two
      // states by one with the same answer to reset.
      let isReplaced = before.eventState >> 16 != reader.eventState >> 16
      switch (before.card, reader.card) {
      case (nil, let card?): events.append(.cardInserted(reader: reader.name, card))
      case (.some, nil): events.append(.cardRemoved(reader: reader.name))
      case (let old?, let new?) where isReplaced || old != new:
        events += [.cardRemoved(reader: reader.name), .cardInserted(reader: reader.name, new)]
      default: break
      }
    }
    return events
  }
}
