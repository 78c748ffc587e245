package import TesseraPassport
package import TesseraSmartCard

/// Sends commands ahead to a card on the reader of a desk, where each exchange costs a round trip over the network. A wrong
/// guess costs exchanges and changes nothing else. Long commands, and what follows them, are not sent ahead.
package final class Foresight: DistantReading {
  /// Owns the session, which owns this.
  unowned let inspection: Inspection
  private let channel: any BatchChannel
  private let distrustsReader: Bool
  private var foreseen = ForeseenCommands()
  /// The last file that a list has named, the ones that are read after it, and the list.
  var listed: (file: ElementaryFile, rest: ArraySlice<ElementaryFile>, list: ElementaryFile)?

  /// - Parameters:
  ///   - channel: the channel of the card that `inspection` reads.
  ///   - distrustsReader: whether another machine states the limits of the reader, and may lie. Then a reader that cannot
  ///     carry what proves the chip ends the read with `ChipWitnessError.readerUnsuitable`: a copied chip could hide
  ///     behind stated limits.
  package init(_ inspection: Inspection, _ channel: any BatchChannel, distrustsReader: Bool) {
    self.inspection = inspection
    self.channel = channel
    self.distrustsReader = distrustsReader
  }

  private var session: ChipSession { inspection.session }

  package func expect(_ commands: ExpectedCommands) {
    let next: [ForeseenCommand]
    switch commands {
    case .commands(let commands):
      next = commands.map { ForeseenCommand(command: $0, warnings: $0.selectsPassword ? .triesLeft : []) }
    case .application: next = session.secureMessaging == nil ? selectionAndChallenge : selectionAndFirstFiles
    case .file(let file, let addressing, let reader):
      next = reader.firstBlock(of: file, by: addressing) + (FileReader.fitsFirstBlock(file) ? following(file) : [])
    case .blocks(let file, let offset, let total, let reader):
      guard foreseen.needsGuess else { return }
      next = reader.remainingBlocks(of: file, from: offset, to: total) { self.following(file) }
    case .listed(let file, let rest, let list):
      listed = (file, rest, list)
      return
    }
    foreseen.foresee(next.prefix { $0.command.data.count <= session.longestShortData($0.command) })
  }

  // MARK: - Sending

  package func willSend(_ command: CommandAPDU) async throws {
    try await discard(otherThan: command)
    guard let commands = foreseen.commandsToSend(with: command) else { return }
    do {
      try await send(commands)
    } catch {
      throw session.failed(error)
    }
  }

  /// Sends commands together. Their responses wait until they are asked for.
  private func send(_ commands: [ForeseenCommand]) async throws {
    try Task.checkCancellation()
    // A copy, since the counter of the session advances when a command is asked for.
    var messaging = session.secureMessaging
    let batch = CommandBatch(
      try commands.map { foreseen in
        let least = messaging?.leastResponse(carrying: foreseen.leastData, to: foreseen.command) ?? foreseen.leastData
        let command = try messaging?.protect(foreseen.command) ?? foreseen.command
        messaging?.skipResponse()
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
    session.statistics.exchanges += sent.count
    session.statistics.bytesSent += sent.reduce(0) { $0 + $1.command.count }
    session.statistics.bytesReceived += responses.reduce(0) { $0 + $1.count }
  }

  // MARK: - Responses

  package func takeResponse() throws -> [UInt8]? { try foreseen.takeResponse() }

  package func prepare(_ read: ReadBinary, by reader: FileReader) async throws {
    guard read.address.isOffset, let file = session.currentFile else { return }
    try await discard(otherThan: read.command)
    try await reader.makeCurrent(file)
  }

  /// Takes commands that were sent ahead off the session. If it ended over one, access control is performed again.
  package func settle() async throws {
    do {
      try await discard()
    } catch PassportError.secureMessaging(.plainAnswer) where session.hasFailedProbe {
      try await inspection.reopenAccessIfPossible()
    }
  }

  /// Takes the responses to commands that were sent ahead, if `command` is another one. They are verified like all
  /// responses and then discarded.
  ///
  /// - Throws: as `ChipSession.transceive(_:)`. If the session ended over a command that nobody asked for, that was a
  ///   failed probe.
  private func discard(otherThan command: CommandAPDU? = nil) async throws {
    guard let next = foreseen.nextExecuted, next != command else { return }
    foreseen.recordWrongGuess()
    while let next = foreseen.nextExecuted {
      // It may have changed it.
      session.currentFile = nil
      do {
        _ = try await session.exchange(next, wasSent: true)
      } catch PassportError.secureMessaging(.plainAnswer(let status)) {
        failGuess()
        throw PassportError.secureMessaging(.plainAnswer(status))
      }
      // The files that are read next are not in this application.
      if next.selectsApplication {
        let error = PassportError.unexpectedStatus(operation: "a command that was sent ahead", .success)
        session.end(error)
        failGuess()
        throw error
      }
    }
  }

  private func failGuess() {
    foreseen.giveUp()
    session.recordFailedProbe()
  }

  package func sessionChanged() { foreseen.reset() }

  package func conclude() async throws {
    if distrustsReader { try inspection.checkReader(mustProve: inspection.wantsChipAuthentication) }
  }
}

extension CommandAPDU {
  /// Whether this is SELECT with the name of an application.
  fileprivate var selectsApplication: Bool { ins == 0xA4 && p1 == 0x04 }

  /// Whether this is MSE:Set AT of PACE, which may be answered by 63Cx.
  fileprivate var selectsPassword: Bool { ins == 0x22 && p1 == 0xC1 }
}

extension SecureMessaging {
  /// The fewest data bytes of a protected response that carries `count` plain bytes to `command`.
  fileprivate func leastResponse(carrying count: Int, to command: CommandAPDU) -> Int {
    let fixed = 4 + 10  // status, MAC
    guard count > 0 else { return fixed }
    let padded = (count / blockSize + 1) * blockSize
    let value = padded + (command.ins & 1 == 0 ? 1 : 0)
    let lengthField = value < 0x80 ? 1 : value < 0x100 ? 2 : 3
    return fixed + 1 + lengthField + value
  }
}
