/// The seam between the protocols and whatever carries their commands: a PC/SC reader, a software chip, a test.
///
/// Implementations may rely on one command being in flight at a time.
public protocol CardChannel: Sendable {
  /// Sends one command APDU and waits for the chip's response, status word included.
  ///
  /// - Throws: `CardError.cardRemoved`, `.cardReset` or `.transmission` when the chip did not answer;
  ///   `CancellationError` when the task was cancelled before the command left.
  func transmit(_ command: [UInt8]) async throws -> [UInt8]
}
