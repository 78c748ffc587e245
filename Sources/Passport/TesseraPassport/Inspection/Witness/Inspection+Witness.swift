import TesseraCryptography
import TesseraSmartCard

/// Chip Authentication with the keys of a witness, as the last step of a read.
///
/// After it the session ends: the chip expects commands under keys that this machine does not have.
extension Inspection {
  /// The longest public key that a witness may have sent to the chip: a number of 8192 bits.
  private static let longestPublicKey = 1024

  /// The longest command APDU in short form.
  private static let longestConfirmation = 261

  func authenticateForWitness() async throws {
    guard let witness = request.witness else { return }
    recordTransport()
    guard let agreement = try await witness.agreement(for: dump) else { return }
    guard let chipAuthentication = ChipAuthenticationProtocol(agreement.protocolIdentifier), isUsable(agreement) else {
      throw ChipWitnessError.unusableAgreement
    }
    guard canCarry(publicKey: agreement.publicKey) else { throw ChipWitnessError.readerUnsuitable }
    let keys = (try? dump.content.dataGroup14?.get())?.securityInfos.chipAuthenticationKeys ?? []
    let commands = ChipAuthenticationCommands(
      session: session, chipAuthentication: chipAuthentication, keyIdentifier: agreement.keyIdentifier,
      isAmbiguous: Set(keys.map(\.keyIdentifier)).count > 1)
    // After a loss of the card the chip derives the same keys from the same public key, so that the confirmation is
    // still right.
    try await step { try await carryOut(agreement, by: commands) }
  }

  /// A witness cannot know that the reader is at fault, so that it takes a missing answer for the chip's. A machine that
  /// does not trust what it was told of the reader cannot know it either.
  ///
  /// - Throws: `ChipWitnessError.readerUnsuitable`.
  func checkReader() throws {
    guard request.witness != nil || request.distrustsReader else { return }
    if request.witness != nil || wantsChipAuthentication, let offer = dump.content.chipAuthentication,
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

  /// A confirmation is SELECT or READ BINARY under secure messaging, which change nothing on the chip.
  private func isUsable(_ agreement: WitnessedAgreement) -> Bool {
    let confirmation = agreement.confirmation
    return (1...Self.longestPublicKey).contains(agreement.publicKey.count)
      && (agreement.keyIdentifier ?? 0) >= 0
      && (5...Self.longestConfirmation).contains(confirmation.count)
      && confirmation[0] == 0x0C && [0xA4, 0xB0].contains(confirmation[1])
  }

  private func carryOut(_ agreement: WitnessedAgreement, by commands: ChipAuthenticationCommands) async throws {
    dump.witnessedAnswer = WitnessedAnswer()
    // A copy could end the session to avoid these commands, so that they are sent in a new session.
    if !session.isOpen { try await reopenAccessIfPossible() }
    guard session.isOpen else { return }
    try await settleForeseenCommands()
    guard session.isOpen else { return }
    onProgress(.authenticatingChip)
    do {
      try await commands.send(agreement.publicKey)
      let response = try await session.finish(with: agreement.confirmation)
      if let response, response.count == ResponseAPDU.statusLength, !state.hasAskedChipAgain {
        try await askAgain(agreement, by: commands, after: WitnessedAnswer(response: response))
      } else {
        dump.witnessedAnswer = WitnessedAnswer(response: response)
      }
    } catch PassportError.secureMessaging(.plainAnswer)
      where session.hasChangedForm && !state.hasRepeatedChipAuthentication
    {
      // The chip refused the form of the command, which says nothing about the key.
      state.hasRepeatedChipAuthentication = true
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
    let answer = WitnessedAnswer(refusal: status)
    if state.hasAskedChipAgain {
      dump.witnessedAnswer = answer
    } else {
      try await askAgain(agreement, by: commands, after: answer)
    }
  }

  /// A chip may refuse once, or end its session once, by chance. A copy that grants no other session keeps its answer.
  private func askAgain(
    _ agreement: WitnessedAgreement, by commands: ChipAuthenticationCommands, after answer: WitnessedAnswer
  ) async throws {
    state.hasAskedChipAgain = true
    try await carryOut(agreement, by: commands)
    if dump.witnessedAnswer == WitnessedAnswer() { dump.witnessedAnswer = answer }
  }
}
