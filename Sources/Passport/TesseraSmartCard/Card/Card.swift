/// A powered card: the channel to it, and its properties that are known before the first command.
public struct Card: Sendable {
  public let channel: any CardChannel
  public let readerName: String
  /// nil if the source of the card has none.
  public let answerToReset: AnswerToReset?
  /// The longest command or response data that the reader announces, in bytes; nil for a reader with short APDUs only.
  public let extendedLengthLimit: Int?
  /// The longest command APDU that the reader can send, in bytes. For a longer one the channel throws
  /// `CardError.commandTooLongForReader`. nil if only the form of the APDU limits it.
  public let commandLengthLimit: Int?
  /// The profile of the virtual chip, if the test country issued its document; nil for a document.
  package var virtualProfile: String?
  private let finish: @Sendable () async -> Void

  public init(
    channel: any CardChannel, readerName: String, answerToReset: AnswerToReset? = nil,
    extendedLengthLimit: Int? = nil, commandLengthLimit: Int? = nil, finish: @escaping @Sendable () async -> Void = {}
  ) {
    self.channel = channel
    self.readerName = readerName
    self.answerToReset = answerToReset
    self.extendedLengthLimit = extendedLengthLimit
    self.commandLengthLimit = commandLengthLimit
    self.finish = finish
  }

  /// Ends the transaction and resets the card, so that no session keys stay in the chip.
  public func disconnect() async { await finish() }

  /// The same card with another channel, for tracing or command chaining.
  public func replacing(channel: any CardChannel) -> Card {
    var card = Card(
      channel: channel, readerName: readerName, answerToReset: answerToReset,
      extendedLengthLimit: extendedLengthLimit, commandLengthLimit: commandLengthLimit, finish: finish)
    card.virtualProfile = virtualProfile
    return card
  }
}
