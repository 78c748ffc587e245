import TesseraSmartCard

/// A channel to a software chip in the same process. It needs no reader and no pcscd.
public actor VirtualCard: CardChannel {
  private var chip: Chip
  private var exchanges = 0
  /// The time at which a removed card returns; nil while the card is present.
  private var returnTime: ContinuousClock.Instant?

  /// A channel without a reader name; see `card(_:)`.
  public init(_ chip: sending Chip) { self.chip = chip }

  /// - Throws: `CardError.cardRemoved` after the profile's fault removed the card, until `awaitReturn` succeeds.
  public func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    try Task.checkCancellation()
    if returnTime == nil, let duration = chip.profile.fault?.absence(at: exchanges) {
      exchanges += 1
      chip.reset()
      returnTime = .now + duration
      throw CardError.cardRemoved
    }
    guard returnTime == nil else { throw CardError.cardRemoved }
    exchanges += 1
    if chip.profile.latency > .zero { try await Task.sleep(for: chip.profile.latency) }
    return chip.process(command)
  }

  /// Resets the card at the end of its use, as a reader does.
  private func reset() { chip.reset() }

  public func awaitReturn(within time: Duration) async throws {
    if let returnTime {
      let rest = ContinuousClock.now.duration(to: returnTime)
      guard rest <= time else { throw CardError.cardRemoved }
      try await Task.sleep(for: max(.zero, rest))
    }
    returnTime = nil
    chip.reset()
  }

  /// A card for the reading side, with a reader name and an answer to reset.
  public nonisolated static func card(_ chip: sending Chip) -> Card {
    let name = "Tessera virtual reader (\(chip.profile.name))"
    let answerToReset = chip.answerToReset
    let limit = chip.profile.announcesExtendedLength ? chip.profile.responseLimit : nil
    let profile = chip.files.issuingProfile
    let channel = VirtualCard(chip)
    var card = Card(
      channel: channel, readerName: name, answerToReset: answerToReset, extendedLengthLimit: limit,
      finish: { await channel.reset() })
    card.virtualProfile = profile
    return card
  }
}
