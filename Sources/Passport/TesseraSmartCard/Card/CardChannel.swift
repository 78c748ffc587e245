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
}

extension CardChannel {
  /// Throws `CardError.cardRemoved`: this kind of card cannot be replaced.
  public func awaitReturn(within time: Duration) async throws { throw CardError.cardRemoved }
}
