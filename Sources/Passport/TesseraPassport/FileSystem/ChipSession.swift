import TesseraCryptography
import TesseraSmartCard

/// The command stream to one chip. Once secure messaging has started, every command is protected. The one exception is
/// GET RESPONSE, which fetches the rest of a response that is protected as a whole.
///
/// Not `Sendable`: one task drives one session.
final class ChipSession {
  private let channel: any CardChannel
  private(set) var statistics = TransportStatistics()
  private var secureMessaging: SecureMessaging?
  var longCommands = LongCommands()
  /// Whether the session ended over a long command, which will be sent in the other form next time.
  private(set) var hasChangedForm = false
  /// Whether the session was lost over a probe of this reader: a command that it did not know the chip to support, and
  /// that it will not send again.
  private(set) var hasFailedProbe = false
  /// Whether a response of more than 256 bytes has arrived, so that the reader carries extended length.
  private(set) var carriesExtendedLength = false
  /// The first response under the current keys, still protected; nil before there is one.
  private(set) var firstAnswer: [UInt8]?
  /// The reason why no more commands may be sent.
  private var ended: (any Error)?
  private var foreseen = ForeseenCommands()
  /// The number of commands that were sent ahead although none of them was asked for. Each may have changed the chip's
  /// current file.
  private(set) var discardedCommands = 0

  init(channel: any CardChannel) { self.channel = channel }

  /// Whether commands can still be sent.
  var isOpen: Bool { ended == nil }

  /// Protects every command from here on.
  func begin(_ secureMessaging: SecureMessaging) {
    self.secureMessaging = secureMessaging
    firstAnswer = nil
    foreseen.reset()
  }

  /// Closes the session: every later command throws the first `reason` given.
  func end(_ reason: any Error) {
    ended = ended ?? reason
    foreseen.reset()
  }

  func recordFailedProbe() { hasFailedProbe = true }

  /// Discards the keys and the reason why the session ended, so that access control can be performed again.
  func restart() {
    secureMessaging = nil
    firstAnswer = nil
    ended = nil
    foreseen.reset()
    hasChangedForm = false
    hasFailedProbe = false
  }

  /// The largest plaintext that the chip can put into `limit` bytes of response.
  func largestPlaintext(inResponseOf limit: Int) -> Int {
    secureMessaging?.largestPlaintext(inResponseOf: limit) ?? limit
  }

  // MARK: - Foreseen commands

  /// Whether a guess about the next command is of use and there is none.
  var needsForesight: Bool { channel.prefersBatches && foreseen.needsGuess }

  /// States which commands will probably follow, the first one being the next. If each exchange costs a round trip over
  /// a network, they are sent together when the first one is asked for; otherwise this has no effect.
  ///
  /// A wrong guess costs exchanges only. Long commands, and what follows them, are not sent ahead.
  func foresee(_ commands: @autoclosure () -> [ForeseenCommand]) {
    guard channel.prefersBatches else { return }
    foreseen.foresee(commands().prefix { $0.command.data.count <= longestShortData($0.command) })
  }

  /// Takes the responses to commands that were sent ahead, if `command` is another one. They are verified like all
  /// responses and then discarded.
  ///
  /// - Throws: as `transceive(_:)`. If the session ended over a command that nobody asked for, that was a failed probe.
  func discardForeseen(otherThan command: CommandAPDU? = nil) async throws {
    guard let next = foreseen.nextExecuted, next != command else { return }
    foreseen.recordWrongGuess()
    while let next = foreseen.nextExecuted {
      discardedCommands += 1
      do {
        _ = try await exchange(next)
      } catch PassportError.secureMessaging(.plainAnswer(let status)) {
        failGuess()
        throw PassportError.secureMessaging(.plainAnswer(status))
      }
      // The files that are read next are not in this application.
      if next.selectsApplication {
        let error = PassportError.unexpectedStatus(operation: "a command that was sent ahead", .success)
        end(error)
        failGuess()
        throw error
      }
    }
  }

  private func failGuess() {
    foreseen.giveUp()
    hasFailedProbe = true
  }

  // MARK: - Commands of any length

  /// Sends one command of any length, protected once secure messaging has started. After the first violation of secure
  /// messaging and after the loss of the card, the session stays closed.
  ///
  /// A long command is sent in the other form if the chip answers that it does not support the first one.
  ///
  /// - Throws: `PassportError.secureMessaging`, `.malformedResponse`; `CardError`, of which `.powerCycleNeeded` if
  ///   the reader failed to carry extended length; `CancellationError`.
  func transceive(_ command: CommandAPDU) async throws -> ResponseAPDU {
    guard command.data.count > longestShortData(command) else { return try await transceiveProtected(command) }
    do {
      let answer = try await transceiveLong(command)
      guard longCommands.changeForm(after: answer.status, dataLength: command.data.count) else { return answer }
    } catch PassportError.secureMessaging(.plainAnswer(let status)) {
      hasChangedForm = longCommands.changeForm(after: status, dataLength: command.data.count)
      throw PassportError.secureMessaging(.plainAnswer(status))
    } catch let error as CardError where longCommands.form == .extendedLength {
      switch error {
      case .cardRemoved, .readerRemoved, .serviceUnavailable: throw error
      default: break
      }
      // Readers report in many ways that they cannot carry extended length.
      longCommands.recordExtendedLengthRefused()
      throw CardError.powerCycleNeeded
    }
    return try await transceiveLong(command)
  }

  private func transceiveLong(_ command: CommandAPDU) async throws -> ResponseAPDU {
    switch longCommands.form {
    case .extendedLength: try await transceiveProtected(command)
    case .chained: try await transceiveChain(command)
    }
  }

  private func transceiveChain(_ command: CommandAPDU) async throws -> ResponseAPDU {
    let parts = chain(of: command)
    foresee(parts.map { ForeseenCommand(command: $0) })
    for part in parts.dropLast() {
      let answer = try await transceiveProtected(part)
      // If the chip refuses a part, that is the response to the whole command.
      guard answer.status == .success else { return answer }
    }
    return try await transceiveProtected(parts.last ?? command)
  }

  private func chain(of command: CommandAPDU) -> [CommandAPDU] {
    var parts: [CommandAPDU] = []
    var rest = command.data[...]
    while rest.count > longestPart {
      var part = command
      part.cla |= 0x10
      part.data = Array(rest.prefix(longestPart))
      part.expectedLength = nil
      rest = rest.dropFirst(longestPart)
      parts.append(part)
    }
    var last = command
    last.data = Array(rest)
    last.expectedLength = command.expectedLength.map { min($0, 256) }
    return parts + [last]
  }

  /// The most data of a short command. A reader without extended length may not even carry that much, so that a chain
  /// is used from the length of its parts on.
  private func longestShortData(_ command: CommandAPDU) -> Int {
    guard longCommands.readerLimit != nil, let secureMessaging else { return longestPart }
    return secureMessaging.largestCommandData(expectsAnswer: command.expectedLength != nil)
  }

  /// Under secure messaging each command of a chain is protected separately (BSI TR-03110-3, E.2), which leaves room
  /// for less data.
  private var longestPart: Int { secureMessaging == nil ? 255 : 223 }

  // MARK: - One command

  /// Sends one APDU under secure messaging, or in plain before secure messaging has started.
  private func transceiveProtected(_ command: CommandAPDU) async throws -> ResponseAPDU {
    if let ended { throw ended }
    try await discardForeseen(otherThan: command)
    return try await exchange(command, together: foreseen.commandsToSend(with: command))
  }

  /// - Parameter batch: commands to send now, of which `command` is the first; nil if it is sent alone or has a response
  ///   that waits.
  private func exchange(
    _ command: CommandAPDU, together batch: [ForeseenCommand]? = nil
  ) async throws -> ResponseAPDU {
    do {
      if let batch { try await transmit(batch) }
      guard var session = secureMessaging else {
        let response = try await transceivePlain(command)
        if response.data.count > 256 { carriesExtendedLength = true }
        return response
      }
      let protected = try session.protect(command)
      let response = try await transceivePlain(protected)
      if firstAnswer == nil { firstAnswer = response.encoded }
      let plain = try session.unprotect(response)
      secureMessaging = session
      if response.data.count > 256 { carriesExtendedLength = true }
      return plain
    } catch CardError.truncatedResponse where secureMessaging == nil {
      throw PassportError.malformedResponse(operation: "a command")
    } catch {
      let error = Self.passportError(error)
      end(error)
      throw error
    }
  }

  private static func passportError(_ error: any Error) -> any Error {
    switch error {
    case let violation as SecureMessagingError: PassportError.secureMessaging(violation)
    case CardError.truncatedResponse: PassportError.secureMessaging(.malformedResponse("no status word"))
    default: error
    }
  }

  /// Sends one APDU as it is and collects the whole response with GET RESPONSE (ISO/IEC 7816-4, 5.3.4 and 11.7.1).
  ///
  /// 61xx counts as "more data available" only if the chip has delivered all that was requested, or nothing. Any
  /// other response with 61xx is returned unchanged.
  private func transceivePlain(_ command: CommandAPDU) async throws -> ResponseAPDU {
    let response = if let waiting = try waitingResponse() { waiting } else { try await transmit(command.encoded()) }
    return try await completed(response, requested: min(command.expectedLength ?? 256, 256))
  }

  /// - Parameter requested: the bytes of `first` that were requested.
  private func completed(_ first: ResponseAPDU, requested: Int) async throws -> ResponseAPDU {
    var response = first
    var data = response.data
    var parts = 1
    var requested = requested
    while response.status.sw1 == 0x61, response.data.isEmpty || response.data.count >= requested {
      guard parts < Self.maximumParts else { throw PassportError.malformedResponse(operation: "GET RESPONSE") }
      parts += 1
      requested = response.status.sw2 == 0 ? 256 : Int(response.status.sw2)
      response = try await transmit(CommandAPDU(ins: 0xC0, p1: 0, p2: 0, expectedLength: requested).encoded())
      data += response.data
      // A chip may deliver more than was requested.
      guard data.count <= Self.longestAnswer else { throw PassportError.malformedResponse(operation: "GET RESPONSE") }
    }
    return ResponseAPDU(data: data, status: response.status)
  }

  /// The longest response in parts of 256 bytes each, and one part more.
  private static let maximumParts = 257

  /// Data of the longest response APDU, in bytes.
  private static let longestAnswer = 65_536

  /// Sends one command that is protected already, with keys that this session does not have, and closes the session.
  ///
  /// - Parameter command: a short command APDU.
  /// - Returns: the response as received; nil if it has no status word.
  func finish(with command: [UInt8]) async throws -> [UInt8]? {
    if let ended { throw ended }
    try await discardForeseen()
    do {
      let response = try await completed(transmit(command), requested: 256)
      end(PassportError.unexpectedStatus(operation: "a command after the last one of the session", .none))
      return response.encoded
    } catch {
      end(error)
      if case CardError.truncatedResponse = error { return nil }
      throw error
    }
  }

  /// The response that waits for the command that is asked for; nil if the command was not sent ahead.
  private func waitingResponse() throws -> ResponseAPDU? {
    guard let response = try foreseen.takeResponse() else { return nil }
    try Task.checkCancellation()
    return try ResponseAPDU(response)
  }

  /// Sends commands together. Their responses wait until they are asked for.
  private func transmit(_ commands: [ForeseenCommand]) async throws {
    try Task.checkCancellation()
    // A copy, since the counter of the session advances when a command is asked for.
    var session = secureMessaging
    let batch = CommandBatch(
      try commands.map { foreseen in
        let least = session?.leastResponse(carrying: foreseen.leastData, to: foreseen.command) ?? foreseen.leastData
        let command = try session?.protect(foreseen.command) ?? foreseen.command
        session?.skipResponse()
        return CommandBatch.Entry(
          command: try command.encoded(), leastResponse: least + ResponseAPDU.statusLength, warnings: foreseen.warnings)
      })
    let result: BatchResponses
    do {
      result = try await channel.transmit(batch)
      guard !result.responses.isEmpty else { throw result.error ?? CardError.emptyResponse }
    } catch {
      count(batch.entries.prefix(1), [])
      throw error
    }
    count(batch.entries.prefix(result.responses.count + (result.error == nil ? 0 : 1)), result.responses)
    foreseen.record(result, to: commands, sentAs: batch)
  }

  private func count(_ sent: ArraySlice<CommandBatch.Entry>, _ responses: [[UInt8]]) {
    statistics.exchanges += sent.count
    statistics.bytesSent += sent.reduce(0) { $0 + $1.command.count }
    statistics.bytesReceived += responses.reduce(0) { $0 + $1.count }
  }

  /// One exchange on the channel.
  private func transmit(_ bytes: [UInt8]) async throws -> ResponseAPDU {
    try Task.checkCancellation()
    statistics.exchanges += 1
    statistics.bytesSent += bytes.count
    let response = try await channel.transmit(bytes)
    statistics.bytesReceived += response.count
    return try ResponseAPDU(response)
  }
}

extension CommandAPDU {
  /// Whether this is SELECT with the name of an application.
  fileprivate var selectsApplication: Bool { ins == 0xA4 && p1 == 0x04 }
}
