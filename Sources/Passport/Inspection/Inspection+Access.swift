import Cryptography
import SmartCard

/// Access control: PACE where EF.CardAccess offers it, else Basic Access Control, else none.
extension Inspection {
  /// What Terminal Authentication binds to.
  struct AccessKeys {
    /// `ID_IC`.
    var chipIdentifier: [UInt8] = []
    /// This reader's ephemeral key of the last key agreement, compressed; nil before there was one.
    var readerKey: [UInt8]?
    /// The authorities that the chip named during PACE.
    var authorities: [String] = []
  }

  func openAccess() async throws {
    guard !isOpen else { return }
    for attempt in 1...max(1, request.accessAttempts) {
      do {
        try await performWithoutTrial()
        isOpen = true
        hasBeenOpen = true
        return
      } catch let error as PassportError where error.isWrongKey && attempt < request.accessAttempts {
        try await Task.sleep(for: request.accessPause)
      }
    }
  }

  /// Once more where the chip ended the session over the way in which EF.CardSecurity was read.
  private func performWithoutTrial() async throws {
    do {
      try await performAccess()
    } catch let error as PassportError {
      guard reader.takeLostByTrial() else { throw error }
      try await resettingIfRefused {
        session.restart()
        reader.forgetPlace()
        _ = try await session.send(.selectMasterFile)
        try await performAccess()
      }
    }
  }

  private func performAccess() async throws {
    accessKeys.readerKey = nil
    if let key = request.key, try await openByPACE(key) {
      onProgress(.accessGranted(.pace))
      // EF.CardSecurity lies in the master file, beside EF.CardAccess.
      if dump.evidence.paceChipAuthentication != nil {
        try await readOptional(.cardSecurity)
      } else if request.readsCardFiles, dump[.cardSecurity] == nil {
        do {
          try await readRequired(.cardSecurity)
        } catch PassportError.fileUnavailable {
          // Nothing depends on it.
        }
      }
      try await selectApplication()
    } else {
      try await selectApplication()
      try await openWithoutPACE()
    }
  }

  // MARK: - PACE

  /// A chip that offers PACE is not opened in another way because PACE has failed: whoever can make it fail could choose
  /// the weaker way. Where none of its offers can be done at all, the report tells why.
  ///
  /// - Returns: whether the chip is open; false where PACE is not offered, or not in a form that can be done while Basic
  ///   Access Control may be.
  private func openByPACE(_ key: AccessKey) async throws -> Bool {
    let choices = try paceChoices(for: key)
    guard !choices.isEmpty else { return false }
    dump.givenKey = request.basicInformation(key)
    onProgress(.accessing(.pace))
    do {
      try await openByPACE(choices, key)
      return true
    } catch PassportError.pace(.needsExtendedLength)
      where request.opensByBasicAccessControl && dump.accessProtocol != .pace
    {
      // What was opened by PACE once is not opened again in another way.
      notePACEProblem(.needsExtendedLength)
      return false
    }
  }

  private func notePACEProblem(_ problem: PACEError) {
    paceProblem = problem
    dump.paceObstacle = problem.failure.cause
  }

  private func paceChoices(for key: AccessKey) throws -> [PACEChoice] {
    guard paceProblem == nil, let infos = try? dump.content.cardAccess?.get() else { return [] }
    guard !request.skipsPACE else {
      if infos.offers(SecurityInfos.Arc.pace) { dump.paceObstacle = "PACE was to be skipped." }
      return []
    }
    do {
      let choices = try PACEChoice.ranked(infos, commandLengthLimit: card.commandLengthLimit)
      if choices.isEmpty, infos.problems.contains(.unnamed) { dump.paceObstacle = SecurityInfoProblem.unnamed.sentence }
      return choices
    } catch {
      guard request.opensByBasicAccessControl else { throw PassportError.pace(error) }
      notePACEProblem(error)
      return []
    }
  }

  /// The strongest that the chip takes: one that it refuses before anything was exchanged is passed over, and one whose
  /// numbers cannot be sent whole.
  private func openByPACE(_ choices: [PACEChoice], _ key: AccessKey) async throws {
    var remarks: [String] = []
    for (place, choice) in choices.enumerated() {
      do {
        return try await openByPACE(choice, key, remarks)
      } catch PassportError.pace(let error) {
        let isCut = choice.needsExtendedLength && session.chainsLongCommands
        guard let status = Self.refusal(error, isCut: isCut) else { throw PassportError.pace(error) }
        guard place + 1 < choices.count else {
          throw PassportError.pace(isCut && card.extendedLengthLimit == nil ? .needsExtendedLength : error)
        }
        passOver(choice, status, &remarks)
      }
    }
  }

  /// With which status the chip has turned an offer down; nil where it failed otherwise.
  ///
  /// - Parameter isCut: whether numbers were sent in pieces. The class byte of a chain is also that of PACE's steps, so
  ///   that many chips take the first piece for the whole number.
  private static func refusal(_ error: PACEError, isCut: Bool) -> StatusWord? {
    switch error {
    case .refused(.selection, let status), .passwordUnknown(let status): status
    case .refused(.mapping, let status) where isCut, .refused(.agreement, let status) where isCut: status
    default: nil
    }
  }

  /// A copy of a chip would rather not be asked for the proof that only the original can give.
  private func passOver(_ choice: PACEChoice, _ status: StatusWord, _ remarks: inout [String]) {
    if choice.pace.mapping == .chipAuthentication { dump.evidence.mappingRefusal = status }
    remarks.append("\(choice.pace.name) was refused with status \(status).")
  }

  private func openByPACE(_ choice: PACEChoice, _ key: AccessKey, _ remarks: [String]) async throws {
    var driver = PACEDriver(session: session, choice: choice)
    // Whatever was read meanwhile: what the chip took the first time it takes after a loss.
    let offers = (try? dump.content.cardAccess?.get())?.offers(SecurityInfos.Arc.terminalAuthentication) ?? false
    driver.asksForAuthorities = request.terminalCredentials != nil && offers
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
    if let evidence = outcome.chipAuthentication { dump.evidence.paceChipAuthentication = evidence }
    accessKeys.chipIdentifier = try choice.group.compressed(outcome.chipKey)
    accessKeys.authorities = outcome.authorities
    // Only this mapping authenticates the chip, which Terminal Authentication asks for (Doc 9303-11, 7.1).
    accessKeys.readerKey =
      choice.pace.mapping == .chipAuthentication ? try choice.group.compressed(outcome.readerKey) : nil
  }

  /// As `reopenAccess`; where the chip does not open again, what was read is kept and nothing more is asked.
  ///
  /// - Throws: `PassportError.otherDocument`.
  func reopenIfPossible() async throws {
    do {
      try await reopenAccess()
    } catch let error as PassportError where error != .otherDocument {
      session.end(error)
    }
  }

  /// Once more from the beginning, after the session ended. Where that fails nothing more can be sent: what was protected
  /// before is not read in plain.
  func reopenAccess() async throws {
    keepFirstAnswer()
    do {
      try await resettingIfRefused {
        session.restart()
        reader.forgetPlace()
        isOpen = false
        if dump.accessProtocol == .pace { _ = try await session.send(.selectMasterFile) }
        try await openAccess()
      }
    } catch let error as PassportError {
      session.end(error)
      throw error
    }
  }

  /// What a chip refuses after it has ended a session it may do again when it has been powered anew.
  private func resettingIfRefused(_ open: () async throws -> Void) async throws {
    do {
      try await open()
    } catch let refusal as PassportError where refusal.mayPassAfterReset {
      do {
        try await card.channel.awaitReturn(within: .seconds(5))
      } catch is CardError {
        throw refusal
      }
      let hadProof = dump.evidence.chipAuthentication?.firstAnswer != nil
      try await open()
      if hadProof { isProofOld = true }
      // Without power, the document may have been replaced.
      if hasBeenOpen { try await confirmSameDocument() }
    }
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
        try await basicAccessControl(information)
        dump.accessProtocol = .bac
        accessKeys.chipIdentifier = information.documentNumberWithCheckDigit
        onProgress(.accessGranted(.bac))
        return
      } catch let error as PassportError where session.isOpen && error.isRefusal {
        refusal = error
      }
      // A chip without access control may refuse the protocol and still be open. One that had it before has not.
      if dump.accessProtocol == .none, try await reader.isReadable(.dg1) { break }
      if case .accessDenied = refusal { throw refusal }
      if let paceProblem { throw PassportError.pace(paceProblem) }
      throw dump.content.offers(SecurityInfos.Arc.pace) ? PassportError.accessControlUnsupported : refusal
    case nil:
      onProgress(.accessing(.none))
      guard try await reader.isReadable(.dg1) else { throw PassportError.accessKeyRequired }
    }
    dump.accessProtocol = .none
    onProgress(.accessGranted(.none))
  }

  private func basicAccessControl(_ information: MRZInformation) async throws {
    let challenge = try await session.send(CommandAPDU(ins: 0x84, p1: 0, p2: 0, expectedLength: 8))
    guard challenge.status == .success else {
      throw PassportError.unexpectedStatus(operation: "GET CHALLENGE", challenge.status)
    }
    guard challenge.data.count == 8 else { throw PassportError.malformedResponse(operation: "GET CHALLENGE") }
    let bac = try BasicAccessControl(keySeed: information.keySeed())
    let share = try BasicAccessControl.ReaderShare.random()
    let data = try bac.authenticationData(challenge: challenge.data, share: share)
    let answer = try await session.send(CommandAPDU(ins: 0x82, p1: 0, p2: 0, data: data, expectedLength: 40))
    guard answer.status == .success else {
      switch answer.status {
      case .unspecifiedError, .instructionNotSupported, .classNotSupported:
        throw PassportError.unexpectedStatus(operation: "EXTERNAL AUTHENTICATE", answer.status)
      default: throw PassportError.accessDenied(.bac, answer.status)
      }
    }
    do {
      session.begin(try bac.session(answer: answer.data, challenge: challenge.data, share: share))
    } catch is BasicAccessControl.Problem {
      throw PassportError.malformedResponse(operation: "EXTERNAL AUTHENTICATE")
    }
  }

  // MARK: - The application

  private func selectApplication() async throws {
    reader.forgetPlace()
    // Without an answer in the data field is what the Doc prescribes; some chips insist on Le, some on returning the
    // file control information.
    var status = StatusWord.fileNotFound
    for (p2, length) in [(0x0C, nil), (0x00, 256), (0x0C, 256)] as [(UInt8, Int?)] {
      let command = CommandAPDU(
        ins: 0xA4, p1: 0x04, p2: p2, data: ElementaryFile.application, expectedLength: length)
      status = try await session.send(command).status
      if status.deliversData { return }
      guard [.incorrectParameters, .wrongLength].contains(status) else { break }
    }
    throw PassportError.applicationNotFound(status)
  }
}

extension InspectionRequest {
  /// The MRZ information for Basic Access Control.
  fileprivate func basicInformation(_ key: AccessKey) -> MRZInformation? {
    switch key {
    case .mrz(let information): information
    case .can: basicAccessKey
    }
  }

  /// Whether there is a key for Basic Access Control, or none is wanted.
  var opensByBasicAccessControl: Bool { key.map { basicInformation($0) != nil } ?? true }
}

extension CommandAPDU {
  static let selectMasterFile = CommandAPDU(ins: 0xA4, p1: 0x00, p2: 0x0C, data: [0x3F, 0x00])
}

/// How PACE was done.
public struct PACERun: Sendable, Equatable {
  public let pace: PACEProtocol
  public let parameterIdentifier: Int?
  /// Why this one of the chip's offers, one sentence or more.
  public let reason: String
}

extension PassportError {
  /// Whether the chip just said no, which leaves the session usable.
  fileprivate var isRefusal: Bool {
    switch self {
    case .accessDenied, .unexpectedStatus: true
    default: false
    }
  }

  /// Whether a chip that was powered anew may answer otherwise.
  fileprivate var mayPassAfterReset: Bool {
    switch self {
    case .applicationNotFound, .accessDenied, .accessKeyRequired, .accessControlUnsupported, .unexpectedStatus,
      .malformedResponse, .pace(.refused), .pace(.wrongPassword(triesLeft: nil, _)):
      true
    default: false
    }
  }

  /// Whether another try may do; a blocked password is not tried again, and one that is counted neither.
  fileprivate var isWrongKey: Bool {
    switch self {
    case .accessDenied, .pace(.wrongPassword(triesLeft: nil, _)): true
    default: false
    }
  }
}
