import Cryptography
import SmartCard

/// Whether the chip is the original, and whether this reader may read everything.
extension Inspection {
  // MARK: - Chip Authentication

  /// Right after DG14, so that what follows is read under its keys, which nobody who knows the MRZ can derive.
  ///
  /// - Parameter again: whether the keys of an earlier one are lost.
  func authenticateChip(again: Bool = false) async throws {
    guard session.isOpen, wantsChipAuthentication, dump.content.listedDataGroups.contains(14),
      dump.evidence.chipAuthentication == nil || again
    else { return }
    if dump[.dg14] == nil, !dump.omissions.contains(where: { $0.file == .dg14 }) { try await readOptional(.dg14) }
    guard session.isOpen, let chipAuthentication = offeredChipAuthentication, canCarry(chipAuthentication) else {
      return
    }
    onProgress(.authenticatingChip)
    func evidence(_ key: SecretBytes, _ refusal: StatusWord? = nil) -> ChipAuthenticationEvidence {
      ChipAuthenticationEvidence(
        protocolIdentifier: chipAuthentication.chipAuthentication.identifier,
        keyIdentifier: chipAuthentication.keyIdentifier, readerPrivateKey: key, refusal: refusal)
    }
    let driver = ChipAuthenticationDriver(session: session, chipAuthentication: chipAuthentication)
    do {
      let outcome = try await driver.run()
      // What was proved once stays proved.
      if !isChipProven { dump.evidence.chipAuthentication = evidence(outcome.privateKey) }
      accessKeys.readerKey = try chipAuthentication.key.group.compressed(outcome.readerKey)
    } catch PassportError.unexpectedStatus(_, let status) where session.isOpen {
      dump.evidence.chipAuthentication = evidence(SecretBytes([]), status)
    } catch PassportError.secureMessaging(.plainAnswer) where session.hasChangedForm && !hasChangedFormForChip {
      // It did not know the form of the command, and has said nothing of the key.
      hasChangedFormForChip = true
      try await reopenIfPossible()
      try await authenticateChip(again: true)
    } catch PassportError.secureMessaging(.plainAnswer(let status)) {
      // The chip ended secure messaging over it.
      dump.evidence.chipAuthentication = evidence(SecretBytes([]), status)
      try await reopenIfPossible()
    }
  }

  private var wantsChipAuthentication: Bool {
    switch request.chipAuthentication {
    case .never: false
    case .always: true
    case .withGroup14: request.terminalCredentials != nil || request.dataGroups.map { $0.contains(14) } ?? true
    }
  }

  private var offeredChipAuthentication: ChipAuthentication? {
    (try? dump.content.dataGroup14?.get()).flatMap { try? ChipAuthentication.strongest(of: $0.securityInfos) }
  }

  /// A reader that carries short commands only cannot send a long number (Doc 9303-11, 9.3.1).
  private func canCarry(_ chipAuthentication: ChipAuthentication) -> Bool {
    card.commandLengthLimit.map { $0 >= chipAuthentication.key.element.count + 64 } ?? true
  }

  /// Whether the evidence that there is shows that the chip has its key.
  private var isChipProven: Bool {
    guard let offer = offeredChipAuthentication, let evidence = dump.evidence.chipAuthentication else { return false }
    return evidence.judge(offer) == .proven
  }

  /// Whether the keys of Chip Authentication are in use and the chip has not answered under them yet.
  var awaitsChipAuthentication: Bool {
    dump.evidence.chipAuthentication.map { $0.refusal == nil && $0.firstAnswer == nil } ?? false
      && (session.firstAnswer == nil || !session.isOpen)
  }

  /// Whether an error may be the answer of a chip that derived other keys: it refuses the command unprotected, or
  /// protects its answer with keys of its own.
  func isAnswerOfAnotherChip(_ error: any Error) -> Bool {
    guard case .secureMessaging? = error as? PassportError else { return false }
    return true
  }

  /// Keeps the first answer under the keys of Chip Authentication, once it has come.
  func keepFirstAnswer() {
    if dump.evidence.chipAuthentication?.refusal == nil, dump.evidence.chipAuthentication?.firstAnswer == nil {
      dump.evidence.chipAuthentication?.firstAnswer = session.firstAnswer
    }
  }

  /// Where nothing was read after Chip Authentication, one more exchange tells whether the chip has the keys. A document
  /// that was moved away since is asked once more: the proof shall be of the one that lies there now.
  func confirmChipAuthentication() async throws {
    if isProofOld {
      isProofOld = false
      dump.evidence.chipAuthentication = nil
    }
    try await authenticateChip()
    if session.isOpen, awaitsChipAuthentication {
      do {
        _ = try await reader.isReadable(.dg1)
      } catch  where isAnswerOfAnotherChip(error) {
        keepFirstAnswer()
        try await reopenIfPossible()
      }
    }
    keepFirstAnswer()
    if dump.evidence.chipAuthentication == nil, wantsChipAuthentication, let offer = offeredChipAuthentication {
      dump.evidence.withholdsChipAuthentication = canCarry(offer)
    }
  }

  // MARK: - Active Authentication

  func authenticateActively() async throws {
    guard dump.evidence.activeAuthentication == nil, let group = try? dump.content.dataGroup15?.get() else { return }
    let challenge = try request.activeAuthenticationChallenge ?? RandomBytes.make(8)
    // A chip that has ended the session is asked in a new one, since a clone would rather not be asked.
    if !session.isOpen {
      do {
        try await reopenAccess()
      } catch let error as PassportError where error != .otherDocument {
        dump.evidence.activeAuthentication = ActiveAuthenticationEvidence(
          challenge: challenge, signature: nil, status: .none)
        return
      }
    }
    let driver = ActiveAuthenticationDriver(
      session: session, answerLength: group.signatureLength, extendedLengthLimit: card.extendedLengthLimit)
    for (number, length) in driver.lengths.enumerated() {
      let isLast = number == driver.lengths.count - 1
      var evidence: ActiveAuthenticationEvidence
      do {
        evidence = try await driver.run(challenge: challenge, length: length)
      } catch PassportError.secureMessaging(.plainAnswer(let status)) {
        // The chip ended secure messaging over it; everything else was read.
        evidence = driver.refusal(challenge: challenge, status)
        try await reopenIfPossible()
      }
      // Whatever a chip says to extended length that it does not know.
      if isLast || evidence.status == .success || !session.isOpen {
        dump.evidence.activeAuthentication = evidence
        return
      }
    }
  }

  // MARK: - Terminal Authentication

  /// Last of all, and then what it opens.
  func authenticateTerminal() async throws {
    guard let credentials = request.terminalCredentials,
      dump.content.offers(SecurityInfos.Arc.terminalAuthentication)
    else { return }
    let evidence: TerminalAuthenticationEvidence
    do {
      do {
        evidence = try await proveRights(credentials)
      } catch PassportError.secureMessaging(.plainAnswer) where session.hasChangedForm {
        // The chip has ended the session over the form of a long command.
        evidence = try await proveRights(credentials)
      }
    } catch PassportError.secureMessaging(.plainAnswer(let status)) {
      evidence = TerminalAuthenticationEvidence(
        authorities: accessKeys.authorities, chain: [], outcome: .refused("a command of it", status))
    }
    dump.evidence.terminalAuthentication = evidence
    guard evidence.outcome == .accepted else { return }
    for omission in dump.omissions where omission.file.needsTerminalAuthentication && omission.cause == .protected {
      dump.omissions.removeAll { $0 == omission }
      do {
        try await readOptional(omission.file)
      } catch {
        // Where the document was lost, it is still to be read.
        dump.omissions.append(omission)
        throw error
      }
    }
  }

  private func proveRights(_ credentials: TerminalCredentials) async throws -> TerminalAuthenticationEvidence {
    if !session.isOpen { try await reopenIfPossible() }
    // The keys to bind to may have been lost with a session.
    if session.isOpen, accessKeys.readerKey == nil, isChipProven { try await authenticateChip(again: true) }
    guard session.isOpen, let readerKey = accessKeys.readerKey else {
      return TerminalAuthenticationEvidence(
        authorities: accessKeys.authorities, chain: [], outcome: .chipNotAuthenticated)
    }
    let authorities = try await knownAuthorities()
    return try await TerminalAuthentication(
      session: session, credentials: credentials, chipIdentifier: accessKeys.chipIdentifier, readerKey: readerKey
    ).run(authorities: authorities)
  }

  /// From PACE, or from EF.CVCA, whose place TerminalAuthenticationInfo may tell (BSI TR-03110-3, A.1.1.3).
  private func knownAuthorities() async throws -> [String] {
    defer { reader.forgetPlace() }
    if !accessKeys.authorities.isEmpty { return accessKeys.authorities }
    let info = dump.content.securityInfos.flatMap(\.terminalAuthentication).first { $0.trustPointFile != nil }
    let shortIdentifier = info?.trustPointShortIdentifier ?? (info == nil ? 0x1C : nil)
    // Two references of at most 16 characters.
    let longest = 36
    if let shortIdentifier {
      let answer = try await session.send(
        CommandAPDU(ins: 0xB0, p1: 0x80 | shortIdentifier, p2: 0, expectedLength: longest))
      if answer.status.deliversData, !answer.data.isEmpty { return TrustPointFile.authorities(answer.data) }
    }
    let identifier = info?.trustPointFile ?? 0x011C
    let selected = try await session.send(
      CommandAPDU(
        ins: 0xA4, p1: 0x02, p2: 0x0C, data: [UInt8(identifier >> 8), UInt8(identifier & 0xFF)]))
    guard selected.status.deliversData else { return [] }
    let answer = try await session.send(CommandAPDU(ins: 0xB0, p1: 0, p2: 0, expectedLength: longest))
    return answer.status.deliversData ? TrustPointFile.authorities(answer.data) : []
  }
}
