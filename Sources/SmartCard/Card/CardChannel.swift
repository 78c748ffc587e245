/// The seam between the protocols and whatever carries their commands: a PC/SC reader, a software chip, a test.
///
/// Implementations may rely on one command being in flight at a time.
public protocol CardChannel: Sendable {
  /// Sends one command APDU and waits for the chip's response, status word included.
  ///
  /// - Throws: `CardError.cardRemoved`, `.cardReset` or `.transmission` when the chip did not answer;
  ///   `CancellationError` when the task was cancelled before the command left.
  func transmit(_ command: [UInt8]) async throws -> [UInt8]

  /// After a loss: waits until a card is there again, and has it powered anew. It may be another one.
  ///
  /// - Throws: `CardError`, `.noCard` or `.cardRemoved` where none came in time; `CancellationError`.
  func awaitReturn(within time: Duration) async throws
}

extension CardChannel {
  /// Where cards do not come back.
  public func awaitReturn(within time: Duration) async throws { throw CardError.cardRemoved }
}
