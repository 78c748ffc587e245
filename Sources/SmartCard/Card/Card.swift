/// A card that a reader has powered: the channel to it and what is known before the first command.
public struct Card: Sendable {
  public let channel: any CardChannel
  /// The reader's own name.
  public let readerName: String
  /// What the reader made up of a contactless card's activation; nil where there is no such thing.
  public let answerToReset: AnswerToReset?
  /// The longest command or response data that the reader can carry, as far as it tells; nil for one that carries short
  /// APDUs only.
  public let extendedLengthLimit: Int?
  /// The longest command APDU in bytes that the reader can carry, in any form; a longer one is refused with
  /// `CardError.commandTooLongForReader`. nil where only the APDU's own form limits it.
  public let commandLengthLimit: Int?
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

  /// Gives the card back: ends the transaction and resets it, so that no session keys stay alive in the chip.
  public func disconnect() async { await finish() }

  /// The same card with another channel in front, for tracing or for chaining.
  public func replacing(channel: any CardChannel) -> Card {
    Card(
      channel: channel, readerName: readerName, answerToReset: answerToReset,
      extendedLengthLimit: extendedLengthLimit, commandLengthLimit: commandLengthLimit, finish: finish)
  }
}
