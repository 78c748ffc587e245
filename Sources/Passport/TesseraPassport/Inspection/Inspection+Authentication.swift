import TesseraCryptography
import TesseraSmartCard

/// Chip, Active and Terminal Authentication.
extension Inspection {
  // MARK: - Chip Authentication

  /// Performs Chip Authentication, right after DG14 was read: the files after it are read under the new keys, which
  /// cannot be derived from the MRZ.
  ///
  /// - Parameter again: whether to repeat it because the keys of an earlier run are lost.
  func authenticateChip(again: Bool = false) async throws {
    guard session.isOpen, wantsChipAuthentication, dump.content.listedDataGroups.contains(14),
      dump.evidence.chipAuthentication == nil || again
    else { return }
    if dump[.dg14] == nil, !dump.omissions.contains(where: { $0.file == .dg14 }) { try await addOptionalFile(.dg14) }
    guard session.isOpen, let chipAuthentication = offeredChipAuthentication, canCarry(chipAuthentication) else {
      return
    }
    try await session.distance?.settle()
    onProgress(.authenticatingChip)
    func evidence(_ key: SecretBytes, _ refusal: StatusWord? = nil) -> ChipAuthenticationEvidence {
      ChipAuthenticationEvidence(
        protocolIdentifier: chipAuthentication.chipAuthentication.identifier,
        keyIdentifier: chipAuthentication.keyIdentifier, readerPrivateKey: key, refusal: refusal)
    }
    var driver = ChipAuthenticationDriver(session: session, chipAuthentication: chipAuthentication)
    driver.namesKey = state.hasAskedChipAgain
    do {
      let outcome = try await driver.run()
      state.mayHaveLeftApplication = true
      // A later run does not replace a proof.
      if !isChipProven { dump.evidence.chipAuthentication = evidence(outcome.privateKey) }
      state.terminalBinding.readerKey = try chipAuthentication.key.group.compressed(outcome.readerKey)
    } catch PassportError.unexpectedStatus(_, let status) where session.isOpen {
      guard status == .none || state.hasAskedChipAgain else {
        state.hasAskedChipAgain = true
        return try await authenticateChip(again: true)
      }
      dump.evidence.chipAuthentication = evidence(SecretBytes([]), status)
    } catch PassportError.secureMessaging(.plainAnswer)
      where session.hasChangedForm && !state.hasRepeatedChipAuthentication
    {
      // The chip refused the form of the command, which says nothing about the key.
      state.hasRepeatedChipAuthentication = true
      try await reopenAccessIfPossible()
      try await authenticateChip(again: true)
    } catch PassportError.secureMessaging(.plainAnswer(let status)) {
      // The chip refused Chip Authentication and ended secure messaging.
      let isSecond = state.hasAskedChipAgain
      state.hasAskedChipAgain = true
      if isSecond { dump.evidence.chipAuthentication = evidence(SecretBytes([]), status) }
      try await reopenAccessIfPossible()
      if !isSecond { try await authenticateChip(again: true) }
    }
  }

  /// Whether Chip Authentication is to be performed again in a new session. The first answer under the new keys was not
  /// protected, as a copy answers; a chip may end its session at that moment by chance. The evidence is discarded.
  func asksChipAgain(after error: any Error) -> Bool {
    guard case .secureMessaging(.plainAnswer)? = error as? PassportError, !state.hasAskedChipAgain else { return false }
    state.hasAskedChipAgain = true
    dump.evidence.chipAuthentication = nil
    return true
  }

  package var wantsChipAuthentication: Bool {
    switch request.chipAuthentication {
    case .never: false
    case .always: true
    case .withGroup14: request.terminalCredentials != nil || request.dataGroups.map { $0.contains(14) } ?? true
    }
  }

  private var offeredChipAuthentication: ChipAuthentication? { dump.content.chipAuthentication }

  /// A reader without extended length cannot send a long public key (Doc 9303-11, 9.3.1).
  private func canCarry(_ chipAuthentication: ChipAuthentication) -> Bool {
    canCarry(publicKey: chipAuthentication.key.element)
  }

  package func canCarry(publicKey: [UInt8]) -> Bool {
    card.commandLengthLimit.map { $0 >= publicKey.count + 64 } ?? true
  }

  /// Whether the evidence so far proves that the chip has its private key.
  var isChipProven: Bool {
    guard let offer = offeredChipAuthentication, let evidence = dump.evidence.chipAuthentication else { return false }
    return evidence.evaluate(offer) == .proven
  }

  /// Whether the session uses the keys of Chip Authentication and the chip has not answered under them yet.
  var awaitsChipAuthentication: Bool {
    dump.evidence.chipAuthentication.map { $0.refusal == nil && $0.firstAnswer == nil } ?? false
      && (session.firstAnswer == nil || !session.isOpen)
  }

  /// Whether an error may come from a chip that derived other keys: such a chip refuses the command in plain, or
  /// protects its response with the other keys.
  func mayBeAnswerOfAnotherChip(_ error: any Error) -> Bool {
    guard case .secureMessaging? = error as? PassportError else { return false }
    return true
  }

  /// Records the first response under the keys of Chip Authentication as evidence, once there is one.
  func recordFirstAnswer() {
    if dump.evidence.chipAuthentication?.refusal == nil, dump.evidence.chipAuthentication?.firstAnswer == nil {
      dump.evidence.chipAuthentication?.firstAnswer = session.firstAnswer
    }
  }

  /// Sends a command under the keys of Chip Authentication that no chip has a reason to refuse in plain.
  func confirmNewKeys() async throws {
    guard session.isOpen, awaitsChipAuthentication else { return }
    do {
      reader.resetCurrentFile()
      _ = try await session.transceive(.select(.dg14))
      recordFirstAnswer()
    } catch  where mayBeAnswerOfAnotherChip(error) {
      recordFirstAnswer()
      try await reopenAccessIfPossible()
    }
  }

  /// Completes the proof of Chip Authentication. If no file was read under the new keys, one more exchange shows
  /// whether the chip has them. If the card lost power since, Chip Authentication is performed again, since the
  /// document on the reader may be another one now.
  func confirmChipAuthentication() async throws {
    if state.isChipProofStale {
      _ = try await hasSession()
      state.isChipProofStale = false
      dump.evidence.chipAuthentication = nil
    }
    try await authenticateChip()
    if session.isOpen, awaitsChipAuthentication {
      do {
        _ = try await reader.isReadable(.dg1)
      } catch  where mayBeAnswerOfAnotherChip(error) {
        if asksChipAgain(after: error) {
          try await reopenAccessIfPossible()
          return try await confirmChipAuthentication()
        }
        recordFirstAnswer()
        try await reopenAccessIfPossible()
      }
    }
    recordFirstAnswer()
    if dump.evidence.chipAuthentication == nil, wantsChipAuthentication, let offer = offeredChipAuthentication {
      dump.evidence.withholdsChipAuthentication = canCarry(offer)
    }
  }

  // MARK: - Active Authentication

  func authenticateActively() async throws {
    guard dump.evidence.activeAuthentication == nil, let group = try? dump.content.dataGroup15?.get() else { return }
    let challenge = try request.activeAuthenticationChallenge ?? RandomBytes.make(8)
    try await session.distance?.settle()
    // A copy could end the session to avoid this command, so that it is sent in a new session.
    if !session.isOpen {
      try await reopenAccessIfPossible()
      guard session.isOpen else {
        dump.evidence.activeAuthentication = ActiveAuthenticationEvidence(
          challenge: challenge, signature: nil, status: .none)
        return
      }
    }
    if state.mayHaveLeftApplication, state.leavesApplication { try await returnToApplication() }
    let driver = ActiveAuthenticationDriver(
      session: session, answerLength: group.signatureLength, plainLength: group.plainSignatureLength,
      extendedLengthLimit: state.readerRefusesExtendedLength ? nil : card.extendedLengthLimit)
    // Whether the chip, and not the reader, answered a command for a long signature.
    var reachesChip = false
    for (number, length) in driver.lengths.enumerated() {
      let isLast = number == driver.lengths.count - 1
      var evidence: ActiveAuthenticationEvidence
      do {
        evidence = try await driver.run(challenge: challenge, length: length)
        if length > 256, dump.accessProtocol != .none { reachesChip = true }
      } catch PassportError.secureMessaging(.plainAnswer(let status)) {
        // The chip refused the command and ended secure messaging.
        evidence = driver.refusal(challenge: challenge, status)
        try await reopenAccessIfPossible()
      } catch let error as CardError where length > 256 {
        throw recordLossOverActiveAuthentication(error)
      }
      // A chip that does not support extended length may answer with any status, so that the next length is tried.
      if isLast || evidence.signature?.isEmpty == false || !session.isOpen {
        dump.evidence.activeAuthentication = ActiveAuthenticationEvidence(
          challenge: evidence.challenge, signature: evidence.signature, status: evidence.status,
          isBeyondReader: evidence.isBeyondReader && !reachesChip)
        return
      }
    }
  }

  /// A command for a long signature is not sent again and again over a reader that loses the card over it. Readers report in
  /// many ways that they cannot carry extended length.
  ///
  /// - Returns: the error to throw.
  private func recordLossOverActiveAuthentication(_ error: CardError) -> CardError {
    state.lossesOverActiveAuthentication += 1
    if state.lossesOverActiveAuthentication > 1 { state.readerRefusesExtendedLength = true }
    guard error.isTransmissionFailure else { return error }
    session.recordFailedProbe()
    return .powerCycleNeeded
  }

  // MARK: - Terminal Authentication

  /// Performs Terminal Authentication and then reads the data groups that it opens.
  func authenticateTerminal() async throws {
    guard let credentials = request.terminalCredentials,
      dump.content.offers(SecurityInfos.Arc.terminalAuthentication)
    else { return }
    try await session.distance?.settle()
    let evidence: TerminalAuthenticationEvidence
    do {
      do {
        evidence = try await performTerminalAuthentication(credentials)
      } catch PassportError.secureMessaging(.plainAnswer) where session.hasChangedForm {
        // The chip ended the session because it does not support the form of a long command.
        evidence = try await performTerminalAuthentication(credentials)
      }
    } catch PassportError.secureMessaging(.plainAnswer(let status)) {
      evidence = TerminalAuthenticationEvidence(
        authorities: state.terminalBinding.authorities, chain: [],
        outcome: .refused("a command of Terminal Authentication", status))
    }
    dump.evidence.terminalAuthentication = evidence
    guard evidence.outcome == .accepted else { return }
    for omission in dump.omissions where omission.file.needsTerminalAuthentication && omission.cause == .protected {
      dump.omissions.removeAll { $0 == omission }
      do {
        try await addOptionalFile(omission.file)
      } catch {
        // After a loss, this step is repeated.
        dump.omissions.append(omission)
        throw error
      }
    }
  }

  private func performTerminalAuthentication(_ credentials: TerminalCredentials) async throws
    -> TerminalAuthenticationEvidence
  {
    if !session.isOpen { try await reopenAccessIfPossible() }
    // The key agreement to bind to may have been lost with an earlier session.
    if session.isOpen, state.terminalBinding.readerKey == nil, isChipProven { try await authenticateChip(again: true) }
    guard session.isOpen, let readerKey = state.terminalBinding.readerKey else {
      return TerminalAuthenticationEvidence(
        authorities: state.terminalBinding.authorities, chain: [], outcome: .chipNotAuthenticated)
    }
    let authorities = try await readAuthorities()
    return try await TerminalAuthentication(
      session: session, credentials: credentials, chipIdentifier: state.terminalBinding.chipIdentifier,
      readerKey: readerKey
    ).run(authorities: authorities)
  }

  /// The certification authorities that the chip knows: from PACE, or from EF.CVCA, whose identifiers
  /// TerminalAuthenticationInfo may state (BSI TR-03110-3, A.1.1.3).
  private func readAuthorities() async throws -> [String] {
    defer { reader.resetCurrentFile() }
    if !state.terminalBinding.authorities.isEmpty { return state.terminalBinding.authorities }
    let info = dump.content.securityInfos.flatMap(\.terminalAuthentication).first { $0.trustPointFile != nil }
    let shortIdentifier = info?.trustPointShortIdentifier ?? (info == nil ? 0x1C : nil)
    // Two references of at most 16 characters each, with tag and length.
    let longest = 36
    if let shortIdentifier {
      let answer = try await session.transceive(
        CommandAPDU(ins: 0xB0, p1: 0x80 | shortIdentifier, p2: 0, expectedLength: longest))
      if answer.status.deliversData, !answer.data.isEmpty { return TrustPointFile.authorities(answer.data) }
    }
    let identifier = info?.trustPointFile ?? 0x011C
    let selected = try await session.transceive(
      CommandAPDU(
        ins: 0xA4, p1: 0x02, p2: 0x0C, data: [UInt8(identifier >> 8), UInt8(identifier & 0xFF)]))
    guard selected.status.deliversData else { return [] }
    let answer = try await session.transceive(CommandAPDU(ins: 0xB0, p1: 0, p2: 0, expectedLength: longest))
    return answer.status.deliversData ? TrustPointFile.authorities(answer.data) : []
  }
}
