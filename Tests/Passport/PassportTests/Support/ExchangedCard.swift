import TesseraSmartCard

/// Replaces the document by another one at its only loss.
actor ExchangedCard: CardChannel {
  private var present: any CardChannel
  private let other: any CardChannel
  private var rest: Int

  /// - Parameter exchanges: the number of the exchange that fails.
  init(_ present: any CardChannel, then other: any CardChannel, after exchanges: Int) {
    self.present = present
    self.other = other
    rest = exchanges
  }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    rest -= 1
    guard rest != 0 else { throw CardError.cardRemoved }
    return try await present.transmit(command)
  }

  func awaitReturn(within time: Duration) async throws { present = other }
}
