package import TesseraSmartCard

/// A channel to a card at the other end of a network. Each call costs a round trip, so that commands that are known in
/// advance should be sent together.
package protocol BatchChannel: CardChannel {
  /// Sends the commands of a batch in order, until a response stops the batch (`CommandBatch.continues(after:at:)`).
  ///
  /// - Throws: as `transmit(_:)`, only if the first command has no response. An error of a later command is a part of
  ///   the result.
  func transmit(_ batch: CommandBatch) async throws -> BatchResponses
}

/// Commands that are sent together, so that they cost one round trip over a network. The side with the card executes
/// them in this order and stops after the first response that is not as expected.
///
/// The rule depends on status word and length only, so that the side with the card needs no keys.
package struct CommandBatch: Sendable, Equatable {
  /// One command, and the responses after which the next command is executed.
  package struct Entry: Sendable, Equatable {
    /// The encoded command APDU.
    package var command: [UInt8]
    /// The fewest bytes of response, status word included, after which the next command is executed. A shorter
    /// response means that the chip delivers less than the later commands rely on.
    package var leastResponse: Int
    /// The warnings after which the next command is executed, as after 9000.
    package var warnings: Warnings

    /// - Parameters:
    ///   - command: the encoded command APDU.
    ///   - leastResponse: in bytes, status word included.
    ///   - warnings: those after which the next command is executed.
    package init(command: [UInt8], leastResponse: Int = 2, warnings: Warnings = []) {
      self.command = command
      self.leastResponse = leastResponse
      self.warnings = warnings
    }
  }

  /// Status words other than 9000 that do not stop a batch.
  package struct Warnings: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 6282: the file ended before the requested number of bytes.
    package static let endOfFile = Warnings(rawValue: 1)
    /// 63Cx with at least two tries: the password is selected and has x tries left.
    package static let triesLeft = Warnings(rawValue: 2)
  }

  package var entries: [Entry]

  package init(_ entries: [Entry]) { self.entries = entries }

  /// Whether the command after the one at `index` is executed. This is the only rule that stops a batch.
  ///
  /// - Parameters:
  ///   - response: the response to the command at `index`, status word included.
  ///   - index: of the command that was executed; any other number gives false.
  package func continues(after response: [UInt8], at index: Int) -> Bool {
    guard entries.indices.contains(index), index + 1 < entries.count else { return false }
    let entry = entries[index]
    guard response.count >= entry.leastResponse, let status = try? ResponseAPDU(response).status else { return false }
    if status == .success { return true }
    if entry.warnings.contains(.endOfFile), status == .endOfFile { return true }
    return entry.warnings.contains(.triesLeft) && (status.triesLeft ?? 0) > 1
  }
}

/// The responses to the commands of a batch that were executed.
package struct BatchResponses: Sendable {
  /// In the order of the commands, status words included; fewer than the commands if the batch was stopped.
  package var responses: [[UInt8]]
  /// The reason why the command after the last response has none; nil if the batch was completed, or stopped by its own
  /// rule.
  package var error: (any Error)?

  package init(_ responses: [[UInt8]], error: (any Error)? = nil) {
    self.responses = responses
    self.error = error
  }
}
