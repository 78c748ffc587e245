internal import TesseraCryptography
internal import TesseraPassport
internal import TesseraSmartCard

/// Chip Authentication with the keys of a witness, as the last step of a read.
///
/// After it the session ends: the chip expects commands under keys that this machine does not have.
final class WitnessedProof: DistantReading {
  /// Owns the session, which owns this.
  private unowned let inspection: Inspection
  private let witness: any ChipWitness
  private var answer = WitnessedAnswer()

  init(_ inspection: Inspection, _ witness: any ChipWitness) {
    self.inspection = inspection
    self.witness = witness
  }

  private var session: ChipSession { inspection.session }

  /// The longest public key that a witness may have sent to the chip: a number of 8192 bits.
  private static let longestPublicKey = 1024

  /// The longest command APDU in short form.
  private static let longestConfirmation = 261

  func conclude() async throws {
    try inspection.checkReader(mustProve: true)
    inspection.recordTransport()
    guard let agreement = try await witness.agreement(for: inspection.dump) else { return }
    guard let chipAuthentication = ChipAuthenticationProtocol(agreement.protocolIdentifier), isUsable(agreement) else {
      throw ChipWitnessError.unusableAgreement
    }
    guard inspection.canCarry(publicKey: agreement.publicKey) else { throw ChipWitnessError.readerUnsuitable }
    let keys = (try? inspection.dump.content.dataGroup14?.get())?.securityInfos.chipAuthenticationKeys ?? []
    let commands = ChipAuthenticationCommands(
      session: session, chipAuthentication: chipAuthentication, keyIdentifier: agreement.keyIdentifier,
      isAmbiguous: Set(keys.map(\.keyIdentifier)).count > 1)
    // After a loss of the card the chip derives the same keys from the same public key, so that the confirmation is
    // still right.
    try await inspection.step { try await carryOut(agreement, by: commands) }
    await witness.record(answer)
  }

  /// A confirmation is SELECT or READ BINARY under secure messaging, which change nothing on the chip.
  private func isUsable(_ agreement: WitnessedAgreement) -> Bool {
    let confirmation = agreement.confirmation
    return (1...Self.longestPublicKey).contains(agreement.publicKey.count)
      && (agreement.keyIdentifier ?? 0) >= 0
      && (5...Self.longestConfirmation).contains(confirmation.count)
      && confirmation[0] == 0x0C && [0xA4, 0xB0].contains(confirmation[1])
  }

  private func carryOut(_ agreement: WitnessedAgreement, by commands: ChipAuthenticationCommands) async throws {
    var commands = commands
    commands.namesKey = inspection.state.hasAskedChipAgain
    answer = WitnessedAnswer()
    // A copy could end the session to avoid these commands, so that they are sent in a new session.
    if !session.isOpen { try await inspection.reopenAccessIfPossible() }
    guard session.isOpen else { return }
    inspection.onProgress(.authenticatingChip)
    do {
      try await commands.send(agreement.publicKey)
      let response = try await session.finish(with: agreement.confirmation)
      if let response, response.count == ResponseAPDU.statusLength, !inspection.state.hasAskedChipAgain {
        try await askAgain(agreement, by: commands, after: WitnessedAnswer(response: response))
      } else {
        answer = WitnessedAnswer(response: response)
      }
    } catch PassportError.secureMessaging(.plainAnswer)
      where session.hasChangedForm && !inspection.state.hasRepeatedChipAuthentication
    {
      // The chip refused the form of the command, which says nothing about the key.
      inspection.state.hasRepeatedChipAuthentication = true
      try await carryOut(agreement, by: commands)
    } catch PassportError.unexpectedStatus(_, let status) where session.isOpen {
      try await recordRefusal(status, of: agreement, by: commands)
    } catch PassportError.secureMessaging(.plainAnswer(let status)) {
      // The chip refused Chip Authentication and ended secure messaging.
      try await recordRefusal(status, of: agreement, by: commands)
    }
  }

  private func recordRefusal(
    _ status: StatusWord, of agreement: WitnessedAgreement, by commands: ChipAuthenticationCommands
  ) async throws {
    let refusal = WitnessedAnswer(refusal: status)
    if inspection.state.hasAskedChipAgain {
      answer = refusal
    } else {
      try await askAgain(agreement, by: commands, after: refusal)
    }
  }

  /// A chip may refuse once, or end its session once, by chance. A copy that grants no other session keeps its answer.
  private func askAgain(
    _ agreement: WitnessedAgreement, by commands: ChipAuthenticationCommands, after first: WitnessedAnswer
  ) async throws {
    inspection.state.hasAskedChipAgain = true
    try await carryOut(agreement, by: commands)
    if answer == WitnessedAnswer() { answer = first }
  }
}

extension Inspection {
  /// A witness cannot know that the reader is at fault, so that it takes a missing answer for the chip's. A machine that
  /// does not trust what it was told of the reader cannot know it either.
  ///
  /// - Parameter mustProve: whether the chip has to perform Chip Authentication if it offers that.
  /// - Throws: `ChipWitnessError.readerUnsuitable`.
  func checkReader(mustProve: Bool) throws {
    if mustProve, let offer = dump.content.chipAuthentication,
      !canCarry(publicKey: offer.key.element)
    {
      throw ChipWitnessError.readerUnsuitable
    }
    guard let key = (try? dump.content.dataGroup15?.get())?.publicKey,
      let evidence = dump.evidence.activeAuthentication, evidence.isBeyondReader, card.extendedLengthLimit == nil
    else { return }
    let infos = (try? dump.content.dataGroup14?.get())?.securityInfos
    if case .unsupported = evidence.evaluate(key, infos) { throw ChipWitnessError.readerUnsuitable }
  }
}

extension ChipSession {
  /// Sends one command that is protected already, with keys that this session does not have, and closes the session.
  ///
  /// - Parameter command: a short command APDU.
  /// - Returns: the response as received; nil if it has no status word.
  func finish(with command: [UInt8]) async throws -> [UInt8]? {
    if let ended { throw ended }
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
}
