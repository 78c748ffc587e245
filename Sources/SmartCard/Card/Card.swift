/// A card that a reader has powered: the channel to it and what is known before the first command.
public struct Card: Sendable {
  public let channel: any CardChannel
  /// The reader's own name.
  public let readerName: String
  /// nil where the reader is not a PC/SC one.
  public let answerToReset: AnswerToReset?
  /// The longest command or response data that reader and card together can carry, where the reader tells;
  /// nil means that only short APDUs are safe.
  public let extendedLengthLimit: Int?
  private let finish: @Sendable () async -> Void

  public init(
    channel: any CardChannel, readerName: String, answerToReset: AnswerToReset? = nil,
    extendedLengthLimit: Int? = nil, finish: @escaping @Sendable () async -> Void = {}
  ) {
    self.channel = channel
    self.readerName = readerName
    self.answerToReset = answerToReset
    self.extendedLengthLimit = extendedLengthLimit
    self.finish = finish
  }

  /// Gives the card back: ends the transaction and resets it, so that no session keys stay alive in the chip.
  public func disconnect() async { await finish() }

  /// The same card with another channel in front, for tracing.
  public func replacing(channel: any CardChannel) -> Card {
    Card(
      channel: channel, readerName: readerName, answerToReset: answerToReset,
      extendedLengthLimit: extendedLengthLimit, finish: finish)
  }
}
