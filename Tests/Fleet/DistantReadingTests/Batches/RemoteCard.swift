import TesseraSmartCard

@testable import TesseraFleet
@testable import TesseraPassport

/// A card at the other end of a network, where each call costs a round trip.
actor RemoteCard: BatchChannel {
  private let base: any CardChannel
  /// Calls that carried commands.
  private(set) var roundTrips = 0
  /// The commands of each batch, and the responses to it.
  private(set) var batches: [(batch: CommandBatch, result: BatchResponses)] = []

  init(_ base: any CardChannel) { self.base = base }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    roundTrips += 1
    return try await base.transmit(command)
  }

  func transmit(_ batch: CommandBatch) async throws -> BatchResponses {
    roundTrips += 1
    let result = try await base.transmitOneByOne(batch)
    batches.append((batch, result))
    return result
  }

  func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }
}

extension CardChannel {
  /// Sends the commands of a batch one by one, until a response stops the batch, as a desk does.
  ///
  /// - Throws: as `transmit(_:)`, if the first command has no response.
  func transmitOneByOne(_ batch: CommandBatch) async throws -> BatchResponses {
    var responses: [[UInt8]] = []
    for (index, entry) in batch.entries.enumerated() {
      do {
        responses.append(try await transmit(entry.command))
      } catch {
        guard index > 0 else { throw error }
        return BatchResponses(responses, error: error)
      }
      guard batch.continues(after: responses[index], at: index) else { break }
    }
    return BatchResponses(responses)
  }
}

extension InspectionRequest {
  /// Has commands sent ahead on a channel.
  mutating func foresee(on channel: any BatchChannel) {
    distance = { Foresight($0, channel, distrustsReader: false) }
  }
}
