import SmartCard

/// A software chip on a reader that is only software too: a channel in this process.
public actor VirtualCard: CardChannel {
  private var chip: Chip

  public init(_ chip: sending Chip) { self.chip = chip }

  public func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    try Task.checkCancellation()
    return chip.process(command)
  }

  /// The card for the reading side.
  public nonisolated static func card(_ chip: sending Chip) -> Card {
    let name = "Tessera virtual reader (\(chip.profile.name))"
    let answerToReset = chip.answerToReset
    let limit = chip.profile.responseLimit > 256 ? chip.profile.responseLimit : nil
    return Card(
      channel: VirtualCard(chip), readerName: name, answerToReset: answerToReset, extendedLengthLimit: limit)
  }
}
