/// A channel that carries commands to a card: through PC/SC or libnfc, to a software chip, or in a test.
///
/// Callers transmit one command at a time.
public protocol CardChannel: Sendable {
  /// Sends one command APDU and waits for the chip's response, status word included.
  ///
  /// - Throws: `CardError.cardRemoved`, `.cardReset` or `.transmission` if the chip did not answer; `CancellationError`
  ///   if the task was cancelled before the command was sent.
  func transmit(_ command: [UInt8]) async throws -> [UInt8]

  /// Waits until a card is present again after it was lost, and powers it. It may be another card.
  ///
  /// - Throws: `CardError.noCard` or `.cardRemoved` if none was detected in time, and other cases; `CancellationError`.
  func awaitReturn(within time: Duration) async throws

  /// Whether each call costs a round trip over a network, so that commands that are known in advance should be sent
  /// together. false by default.
  var prefersBatches: Bool { get }

  /// Sends the commands of a batch in order, until a response stops the batch (`CommandBatch.continues(after:at:)`).
  /// By default they are sent one by one.
  ///
  /// - Throws: as `transmit(_:)`, only if the first command has no response. An error of a later command is a part of
  ///   the result.
  func transmit(_ batch: CommandBatch) async throws -> BatchResponses
}

extension CardChannel {
  /// false: commands are sent one by one.
  public var prefersBatches: Bool { false }

  /// Sends the commands of a batch one by one, until a response stops the batch.
  ///
  /// - Throws: as `transmit(_:)`, if the first command has no response.
  public func transmit(_ batch: CommandBatch) async throws -> BatchResponses { try await transmitOneByOne(batch) }

  /// The default of `transmit(_:)` for a batch, for a channel that replaces it and cannot send a certain batch as it is.
  package func transmitOneByOne(_ batch: CommandBatch) async throws -> BatchResponses {
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

  /// Throws `CardError.cardRemoved`: this kind of card cannot be replaced.
  public func awaitReturn(within time: Duration) async throws { throw CardError.cardRemoved }
}
