import TesseraCryptography
import TesseraSmartCard

/// Access control: PACE if EF.CardAccess offers it, else Basic Access Control, else none.
extension Inspection {
  /// Opens the chip with the key of the request.
  func openWithKey() async throws {
    for attempt in 1...max(1, request.accessAttempts) {
      do {
        try await performAccessWithProbes()
        state.access = .open
        return
      } catch let error as PassportError where error.isWrongKey && attempt < request.accessAttempts {
        try await Task.sleep(for: request.accessPause)
      }
    }
  }

  /// Performs access control, again if the chip ended the session over a probe while EF.CardSecurity was read, and once
  /// more if the chip refused a command that it may accept now.
  private func performAccessWithProbes() async throws {
    do {
      try await performAccess()
    } catch let error as PassportError where session.hasFailedProbe || error.mayPass {
      let hasFailedProbe = session.hasFailedProbe
      func repeatAccess() async throws {
        try await restart(inMasterFile: hasFailedProbe || dump.content.offers(SecurityInfos.Arc.pace))
        try await performAccess()
      }
      if hasFailedProbe { try await repeatingAfterPowerCycle(repeatAccess) } else { try await repeatAccess() }
    }
  }

  /// Forgets the session. PACE begins in the master file.
  func restart(inMasterFile: Bool) async throws {
    session.restart()
    reader.resetCurrentFile()
    if inMasterFile { _ = try await session.select(.selectMasterFile) }
  }

  private func performAccess() async throws {
    state.terminalBinding.readerKey = nil
    if let key = request.key, try await openByPACE(key) {
      onProgress(.accessGranted(.pace))
      // EF.CardSecurity lies in the master file, so that it is read before the application is selected.
      if dump.evidence.paceChipAuthentication != nil {
        try await addOptionalFile(.cardSecurity)
      } else if request.readsCardFiles, dump[.cardSecurity] == nil {
        do {
          try await addRequiredFile(.cardSecurity)
        } catch PassportError.fileUnavailable {
          // No step needs it.
        }
      }
      try await selectApplication()
    } else {
      try await selectApplication()
      try await openWithoutPACE()
    }
  }

  /// Performs access control again, after the session ended. If that fails, no more commands can be sent, so that
  /// protected files are not read in plain.
  func reopenAccess() async throws {
    recordFirstAnswer()
    // Another chip may answer from here on. One that failed its proof is not asked again.
    if isChipProven { state.isChipProofStale = true }
    do {
      try await repeatingAfterPowerCycle {
        session.restart()
        reader.resetCurrentFile()
        state.recordLoss()
        if dump.accessProtocol == .pace { _ = try await session.select(.selectMasterFile) }
        try await openAccess()
      }
    } catch let error as PassportError {
      session.end(error)
      throw error
    }
  }

  /// Like `reopenAccess()`, and compares the document. If the chip does not grant access again, or the document cannot be
  /// compared, the session stays closed and the files read so far remain.
  ///
  /// - Throws: `PassportError.otherDocument`; `CardError`.
  package func reopenAccessIfPossible() async throws {
    do {
      try await reopenAccess()
      try await confirmSameDocument()
    } catch let error as PassportError where error != .otherDocument {
      session.end(error)
    }
  }

  /// Performs `open`, and once more after a power cycle if the chip refuses: some chips refuse access until they
  /// were powered again.
  private func repeatingAfterPowerCycle(_ open: () async throws -> Void) async throws {
    do {
      try await open()
    } catch let refusal as PassportError where refusal.mayPassAfterPowerCycle {
      do {
        try await card.channel.awaitReturn(within: Self.powerCycleTime)
      } catch is CardError {
        throw refusal
      }
      let hasProof = dump.evidence.chipAuthentication?.firstAnswer != nil
      try await open()
      if hasProof { state.isChipProofStale = true }
      // The document may have been replaced while it had no power.
      if state.access != .none { try await confirmSameDocument() }
    }
  }

  // MARK: - PACE

  /// Opens the chip with PACE if the chip offers it. A failure of PACE ends the read: an attacker who can make PACE
  /// fail could choose the weaker protocol otherwise. If none of the offers is supported, the dump records why.
  ///
  /// - Returns: whether the chip is open; false if PACE is not offered, or is not supported while Basic Access
  ///   Control may be.
  private func openByPACE(_ key: AccessKey) async throws -> Bool {
    let choices = try paceChoices(for: key)
    guard !choices.isEmpty else { return false }
    dump.givenKey = request.basicInformation(key)
    onProgress(.accessing(.pace))
    do {
      try await tryPACE(choices, key)
      return true
    } catch PassportError.pace(.needsExtendedLength)
      where request.opensByBasicAccessControl && dump.accessProtocol != .pace
    {
      // A chip that was opened by PACE before is not opened by the weaker protocol.
      recordPACEProblem(.needsExtendedLength)
      return false
    }
  }

  private func recordPACEProblem(_ problem: PACEError) {
    state.paceProblem = problem
    dump.paceOmissionReason = problem.failure.cause
  }

  private func paceChoices(for key: AccessKey) throws -> [PACEChoice] {
    guard state.paceProblem == nil, let infos = try? dump.content.cardAccess?.get() else { return [] }
    guard !request.skipsPACE else {
      if infos.offers(SecurityInfos.Arc.pace) { dump.paceOmissionReason = "PACE was skipped as requested." }
      return []
    }
    do {
      let choices = try PACEChoice.ranked(infos, commandLengthLimit: card.commandLengthLimit)
      if choices.isEmpty, infos.problems.contains(.unnamed) {
        dump.paceOmissionReason = SecurityInfoProblem.unnamed.sentence
      }
      return choices
    } catch {
      guard request.opensByBasicAccessControl else { throw PassportError.pace(error) }
      recordPACEProblem(error)
      return []
    }
  }

  /// Runs PACE with the strongest offer that the chip accepts. An offer is skipped if the chip refuses it before
  /// anything was exchanged, or if its public keys had to be sent in parts.
  private func tryPACE(_ choices: [PACEChoice], _ key: AccessKey) async throws {
    var remarks: [String] = []
    for (index, choice) in choices.enumerated() {
      do {
        return try await runPACE(choice, key, remarks)
      } catch PassportError.pace(let error) {
        let isChained = choice.needsExtendedLength && session.longCommands.form == .chained
        guard let status = Self.refusal(error, isChained: isChained) else { throw PassportError.pace(error) }
        guard index + 1 < choices.count else {
          throw PassportError.pace(isChained && card.extendedLengthLimit == nil ? .needsExtendedLength : error)
        }
        recordRefusal(of: choice, status)
        remarks.append("\(choice.pace.name) was refused with status \(status).")
      }
    }
  }

  /// The status with which the chip refused an offer; nil if PACE failed otherwise.
  ///
  /// - Parameter isChained: whether public keys were sent in a chain. Its class byte is also that of the steps of PACE,
  ///   so that many chips take the first part for the whole key.
  private static func refusal(_ error: PACEError, isChained: Bool) -> StatusWord? {
    switch error {
    case .refused(.selection, let status), .passwordUnknown(let status): status
    case .refused(.mapping, let status) where isChained, .refused(.agreement, let status) where isChained: status
    default: nil
    }
  }

  /// A refused Chip Authentication Mapping is evidence: a copy of a chip refuses the proof that only the original can
  /// give.
  private func recordRefusal(of choice: PACEChoice, _ status: StatusWord) {
    if choice.pace.mapping == .chipAuthentication { dump.evidence.mappingRefusal = status }
  }

  private func runPACE(_ choice: PACEChoice, _ key: AccessKey, _ remarks: [String]) async throws {
    var driver = PACEDriver(session: session, choice: choice)
    // EF.CardAccess alone decides, so that PACE is performed in the same way after a loss.
    let offers = (try? dump.content.cardAccess?.get())?.offers(SecurityInfos.Arc.terminalAuthentication) ?? false
    driver.requestsAuthorities = request.terminalCredentials != nil && offers
    let outcome: PACEDriver.Outcome
    do {
      outcome = try await driver.run(key)
    } catch let error as PACEError {
      throw PassportError.pace(error)
    }
    session.begin(try outcome.keys.secureMessaging())
    dump.accessProtocol = .pace
    dump.pace = PACERun(
      pace: choice.pace, parameterIdentifier: choice.parameterIdentifier,
      reason: ([choice.reason] + remarks).joined(separator: " "))
    if let evidence = outcome.chipAuthentication {
      dump.evidence.paceChipAuthentication = evidence
      // An earlier refusal was chance.
      dump.evidence.mappingRefusal = nil
    }
    state.terminalBinding = ReadState.TerminalBinding(
      chipIdentifier: try choice.group.compressed(outcome.chipKey),
      // Terminal Authentication requires an authenticated chip, which only this mapping provides (Doc 9303-11, 7.1).
      readerKey: choice.pace.mapping == .chipAuthentication ? try choice.group.compressed(outcome.readerKey) : nil,
      authorities: outcome.authorities)
  }

  // MARK: - Basic Access Control

  private func openWithoutPACE() async throws {
    switch request.key {
    case .some(let key):
      guard let information = request.basicInformation(key) else { throw PassportError.accessKeyUnsuitable }
      dump.givenKey = information
      onProgress(.accessing(.bac))
      let refusal: PassportError
      do {
        try await performBasicAccessControl(information)
        dump.accessProtocol = .bac
        state.terminalBinding.chipIdentifier = information.documentNumberWithCheckDigit
        onProgress(.accessGranted(.bac))
        return
      } catch let error as PassportError where session.isOpen && error.isRefusal {
        refusal = error
      }
      // A chip without access control may refuse the protocol and be readable. One that was protected before is not
      // read in plain.
      if dump.accessProtocol == .none, try await reader.isReadable(.dg1) { break }
      if case .accessDenied = refusal { throw refusal }
      if let problem = state.paceProblem { throw PassportError.pace(problem) }
      throw dump.content.offers(SecurityInfos.Arc.pace) ? PassportError.accessControlUnsupported : refusal
    case nil:
      onProgress(.accessing(.none))
      guard try await reader.isReadable(.dg1) else { throw PassportError.accessKeyRequired }
    }
    dump.accessProtocol = .none
    onProgress(.accessGranted(.none))
  }

  /// The time for which some chips are busy after SELECT.
  private static let settlingTime = Duration.milliseconds(700)

  private func performBasicAccessControl(_ information: MRZInformation) async throws {
    var challenge = try await session.transceive(.getChallenge)
    if [.conditionsNotSatisfied, .unspecifiedError].contains(challenge.status) {
      try await Task.sleep(for: Self.settlingTime)
      challenge = try await session.transceive(.getChallenge)
    }
    guard challenge.status == .success else {
      throw PassportError.unexpectedStatus(operation: "GET CHALLENGE", challenge.status)
    }
    guard challenge.data.count == 8 else { throw PassportError.malformedResponse(operation: "GET CHALLENGE") }
    let bac = try BasicAccessControl(keySeed: information.keySeed())
    let randomValues = try BasicAccessControl.ReaderRandomValues.generate()
    let data = try bac.authenticationData(challenge: challenge.data, randomValues: randomValues)
    let answer = try await session.transceive(CommandAPDU(ins: 0x82, p1: 0, p2: 0, data: data, expectedLength: 40))
    guard answer.status == .success else {
      // Doc 9303-11 leaves the status of a wrong key open. In the field it is 6300, 63Cx, 6982, 6985, 6988, 6A80, 6A88 or
      // 6F00. Only these say something else: the chip does not know the command, or not in this form.
      switch answer.status {
      case .instructionNotSupported, .classNotSupported, .wrongLength, .secureMessagingNotSupported:
        throw PassportError.unexpectedStatus(operation: "EXTERNAL AUTHENTICATE", answer.status)
      default: throw PassportError.accessDenied(.bac, answer.status)
      }
    }
    do {
      session.begin(try bac.session(answer: answer.data, challenge: challenge.data, randomValues: randomValues))
    } catch is BasicAccessControl.Problem {
      throw PassportError.malformedResponse(operation: "EXTERNAL AUTHENTICATE")
    }
  }

  // MARK: - The application

  func selectApplication() async throws {
    reader.resetCurrentFile()
    session.distance?.expect(.application)
    let status: StatusWord
    do {
      status = try await session.select(.selectApplication)
    } catch PassportError.malformedResponse {
      // A card with commands of its own, such as those of public transport, may answer with one byte.
      status = .none
    }
    guard status.deliversData else { throw PassportError.applicationNotFound(status) }
  }
}

extension InspectionRequest {
  /// The MRZ information for Basic Access Control.
  package func basicInformation(_ key: AccessKey) -> MRZInformation? {
    switch key {
    case .mrz(let information): information
    case .can: basicAccessKey
    }
  }

  /// Whether the request has a key for Basic Access Control, or no key at all.
  var opensByBasicAccessControl: Bool { key.map { basicInformation($0) != nil } ?? true }
}

extension CommandAPDU {
  static let selectMasterFile = CommandAPDU(ins: 0xA4, p1: 0x00, p2: 0x0C, data: [0x3F, 0x00])

  /// SELECT of the eMRTD application, without response data.
  package static let selectApplication = CommandAPDU(
    ins: 0xA4, p1: 0x04, p2: 0x0C, data: ElementaryFile.application)

  /// GET CHALLENGE of Basic Access Control.
  package static let getChallenge = CommandAPDU(ins: 0x84, p1: 0, p2: 0, expectedLength: 8)
}

extension StatusWord {
  /// Whether a chip refuses a file with this status while another application or none is selected.
  var meansOtherApplication: Bool {
    self == .fileNotFound || self == .referencedDataNotFound || AddressingSupport.meansNoCurrentFile(self)
  }
}

extension PassportError {
  /// Whether the chip refused a command and the session is still usable.
  fileprivate var isRefusal: Bool {
    switch self {
    case .accessDenied, .unexpectedStatus: true
    default: false
    }
  }

  /// Whether a chip may answer otherwise after a power cycle.
  var mayPassAfterPowerCycle: Bool {
    switch self {
    case .applicationNotFound, .accessDenied, .accessKeyRequired, .accessControlUnsupported, .unexpectedStatus,
      .malformedResponse, .pace(.refused), .pace(.wrongPassword(triesLeft: nil, _)):
      true
    default: false
    }
  }

  /// Whether a chip may accept the same commands if they are sent again. A wrong key is not sent again; its usual status
  /// words are those below.
  fileprivate var mayPass: Bool {
    switch self {
    case .accessDenied(_, let status), .pace(.wrongPassword(triesLeft: nil, let status)):
      ![.authenticationFailed, .securityStatusNotSatisfied].contains(status) && status.triesLeft == nil
    case .applicationNotFound, .unexpectedStatus, .malformedResponse, .pace(.refused), .pace(.malformedResponse),
      .secureMessaging(.plainAnswer):
      true
    default: false
    }
  }

  /// Whether access control may be tried again with the same key. A password that is blocked, or whose tries are
  /// counted, is not tried again.
  fileprivate var isWrongKey: Bool {
    switch self {
    case .accessDenied, .pace(.wrongPassword(triesLeft: nil, _)): true
    default: false
    }
  }
}
