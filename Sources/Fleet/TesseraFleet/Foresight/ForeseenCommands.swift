internal import TesseraPassport
internal import TesseraSmartCard

/// A command that will probably follow, and the response after which the command behind it still makes sense.
struct ForeseenCommand {
  let command: CommandAPDU
  /// The fewest plain bytes of response data after which the next command is executed.
  var leastData = 0
  /// The warnings after which the next command is executed.
  var warnings: CommandBatch.Warnings = []
}

/// The commands that will probably follow, and the responses to those of them that were sent ahead.
///
/// A state machine without access to a channel. A foreseen command is a guess: nothing here changes what is asked of
/// the chip, only when it is sent. A response waits until its command is asked for. If another command is asked for, the
/// caller takes the waiting responses first, in order, and discards them.
struct ForeseenCommands {
  private struct Executed {
    let command: CommandAPDU
    let response: [UInt8]
  }

  /// The most commands in one batch: enough for a portrait of 28 KB in short responses, and few enough for the answer
  /// to arrive within seconds.
  static let longestBatch = 128
  /// The most bytes that the responses to one batch may have together.
  private static let largestAnswer = 1 << 17
  /// After so many wrong guesses, the chip is one that defies them, and its commands are sent one by one.
  private static let mostWrongGuesses = 4

  /// What follows from now on.
  private var expected: ArraySlice<ForeseenCommand> = []
  private var executed: ArraySlice<Executed> = []
  /// The reason why the command after the executed ones has no response.
  private var failure: (any Error)?
  private var wrongGuesses = 0

  /// Whether there is no guess about the next command, and one would be used.
  var needsGuess: Bool { expected.isEmpty && wrongGuesses < Self.mostWrongGuesses }

  /// Replaces the guess. The first of `commands` is the next one.
  mutating func foresee(_ commands: some Collection<ForeseenCommand>) {
    guard wrongGuesses < Self.mostWrongGuesses else { return }
    expected = ArraySlice(commands.prefix(Self.longestBatch))
  }

  /// Forgets the guess and all responses, because the session has changed. The number of wrong guesses remains.
  mutating func reset() {
    expected = []
    executed = []
    failure = nil
  }

  /// Makes no guess any more.
  mutating func giveUp() {
    reset()
    wrongGuesses = Self.mostWrongGuesses
  }

  // MARK: - Sending

  /// Records that `command` is asked for.
  ///
  /// - Returns: the commands to send together, `command` first; nil if it is to be sent alone, or was sent already.
  mutating func commandsToSend(with command: CommandAPDU) -> [ForeseenCommand]? {
    guard let first = expected.popFirst(), first.command == command else {
      expected = []
      return nil
    }
    guard executed.isEmpty, failure == nil else { return nil }
    var together = [first]
    var answer = command.expectedLength ?? 0
    for next in expected {
      answer += next.command.expectedLength ?? 0
      guard answer <= Self.largestAnswer else { break }
      together.append(next)
    }
    return together.count > 1 ? together : nil
  }

  /// Records the responses to `commands`, which were sent as `batch`. Responses that the rule of the batch excludes are
  /// ignored.
  mutating func record(_ result: BatchResponses, to commands: [ForeseenCommand], sentAs batch: CommandBatch) {
    for (index, (foreseen, response)) in zip(commands, result.responses).enumerated() {
      executed.append(Executed(command: foreseen.command, response: response))
      guard batch.continues(after: response, at: index) else { return }
    }
    failure = result.error
  }

  // MARK: - Responses

  /// The command whose response comes next; nil if no response waits.
  var nextExecuted: CommandAPDU? { executed.first?.command }

  /// The next response that waits; nil if there is none.
  ///
  /// - Throws: the error of the command after the last response. The chip's state is unknown then, so that the error
  ///   belongs to every command that could follow.
  mutating func takeResponse() throws -> [UInt8]? {
    if let next = executed.popFirst() { return next.response }
    if let failure {
      self.failure = nil
      throw failure
    }
    return nil
  }

  mutating func recordWrongGuess() { wrongGuesses += 1 }
}
