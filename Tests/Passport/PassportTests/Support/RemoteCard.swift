import TesseraSmartCard

/// A card at the other end of a network, where each call costs a round trip.
actor RemoteCard: CardChannel {
  private let base: any CardChannel
  /// Calls that carried commands.
  private(set) var roundTrips = 0
  /// The commands of each batch, and the responses to it.
  private(set) var batches: [(batch: CommandBatch, result: BatchResponses)] = []

  init(_ base: any CardChannel) { self.base = base }

  nonisolated var prefersBatches: Bool { true }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    roundTrips += 1
    return try await base.transmit(command)
  }

  func transmit(_ batch: CommandBatch) async throws -> BatchResponses {
    roundTrips += 1
    let result = try await base.transmit(batch)
    batches.append((batch, result))
    return result
  }

  func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }
}
