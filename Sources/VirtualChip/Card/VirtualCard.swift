import SmartCard

/// A software chip on a reader that is only software too: a channel in this process.
public actor VirtualCard: CardChannel {
  private var chip: Chip
  private var exchanges = 0
  /// When a card that has left the field is back; nil for one that nobody has lost.
  private var absence: ContinuousClock.Instant?

  public init(_ chip: sending Chip) { self.chip = chip }

  /// - Throws: `CardError.cardRemoved` where the profile has the card leave the field, and from then on until
  ///   `awaitReturn` has found it back, as with every reader.
  public func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    try Task.checkCancellation()
    if absence == nil, let duration = chip.profile.fault?.absence(at: exchanges) {
      exchanges += 1
      chip.reset()
      absence = .now + duration
      throw CardError.cardRemoved
    }
    guard absence == nil else { throw CardError.cardRemoved }
    exchanges += 1
    if chip.profile.latency > .zero { try await Task.sleep(for: chip.profile.latency) }
    return chip.process(command)
  }

  /// As a reader does that gives the card back.
  private func reset() { chip.reset() }

  public func awaitReturn(within time: Duration) async throws {
    if let absence {
      let rest = ContinuousClock.now.duration(to: absence)
      guard rest <= time else { throw CardError.cardRemoved }
      try await Task.sleep(for: max(.zero, rest))
    }
    absence = nil
    chip.reset()
  }

  /// The card for the reading side.
  public nonisolated static func card(_ chip: sending Chip) -> Card {
    let name = "Tessera virtual reader (\(chip.profile.name))"
    let answerToReset = chip.answerToReset
    let limit = chip.profile.announcesExtendedLength ? chip.profile.responseLimit : nil
    let channel = VirtualCard(chip)
    return Card(
      channel: channel, readerName: name, answerToReset: answerToReset, extendedLengthLimit: limit,
      finish: { await channel.reset() })
  }
}
