import TesseraCryptography
import TesseraSmartCard

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One read of one document: a flat list of steps over one state.
///
/// DG1 is the only file that a read requires. If an optional file makes the chip end the session again and again, the read
/// goes on with the next file in a new session.
public final class Inspection {
  public typealias ProgressHandler = @Sendable (InspectionProgress) -> Void

  /// Its key becomes the one that opened the chip.
  package internal(set) var request: InspectionRequest
  package let card: Card
  package let session: ChipSession
  package let onProgress: ProgressHandler
  package internal(set) var dump = DocumentDump()
  package var state = ReadState()
  /// Reads the files of the application and EF.CardSecurity.
  package let reader: FileReader
  private let start = ContinuousClock.now

  private init(_ card: Card, _ request: InspectionRequest, _ onProgress: @escaping ProgressHandler) {
    self.card = card
    self.request = request
    self.onProgress = onProgress
    session = ChipSession(channel: card.channel)
    dump.requestedGroups = request.dataGroups?.union(request.securityGroups)
    reader = FileReader(session: session, extendedLength: .unavailable, cap: request.maximumReadLength)
    session.distance = request.distance?(self)
  }

  /// Reads the document on `card`.
  ///
  /// - Parameters:
  ///   - card: the card with the document.
  ///   - request: the access key and the files to read.
  ///   - onProgress: receives each step of the read.
  /// - Throws: `PassportError`, `CardError`, `CancellationError`. An optional file makes the read fail only where an
  ///   answer about it is forged.
  public static func read(
    _ card: Card, _ request: InspectionRequest, onProgress: @escaping ProgressHandler = { _ in }
  ) async throws -> DocumentDump {
    if let challenge = request.activeAuthenticationChallenge,
      challenge.count != ActiveAuthenticationDriver.challengeLength
    {
      throw PassportError.challengeLength(challenge.count)
    }
    let inspection = Inspection(card, request, onProgress)
    try await inspection.run()
    inspection.recordTransport()
    onProgress(.finished)
    return inspection.dump
  }

  /// Records how the read went so far.
  package func recordTransport() {
    dump.statistics = session.statistics
    dump.readerName = card.readerName
    dump.virtualProfile = card.virtualProfile
    dump.readAt = .now
    dump.duration = ContinuousClock.now - start
  }

  private func run() async throws {
    onProgress(.connected)
    try await step { try await addMasterFileContent() }
    reader.extendedLength = announcedExtendedLength
    session.longCommands = LongCommands(
      readerLimit: card.extendedLengthLimit, chipRefusesExtendedLength: supportsExtendedLength == false)
    try await step { try await openAccess() }
    try await step { try await addRequiredFile(.dg1) }
    // EF.SOD comes first, since EF.COM is not signed: a copy could end the session over EF.COM to avoid authentication.
    // EF.COM may list groups that EF.SOD does not, DG14 among them.
    for list in [ElementaryFile.sod, .com] {
      try await step { try await addOptionalFile(list) }
      try await step { try await authenticateChip() }
      try await step { try await addDataGroups(listedIn: list) }
      if list == .com {
        try await step { try await addUnlistedSecurityGroup() }
        try await step { try await confirmChipAuthentication() }
      }
      try await step { try await authenticateActively() }
    }
    try await step { try await authenticateTerminal() }
    try await session.distance?.conclude()
  }

  /// Performs one step. If the document is removed during it and replaced, the step is repeated, so every step
  /// reads only the missing parts.
  package func step(_ body: () async throws -> Void) async throws {
    while true {
      do {
        return try await body()
      } catch {
        try await recover(after: error)
      }
    }
  }

  // MARK: - Extended length

  private var announcedExtendedLength: BlockSize.ExtendedLength {
    guard let limit = card.extendedLengthLimit, supportsExtendedLength == true else { return .unavailable }
    return .announced(min(limit, dump.content.cardInformation?.longestResponse ?? limit))
  }

  /// Whether the chip supports extended length; nil if neither the chip announces it nor the probe has shown it.
  private var supportsExtendedLength: Bool? {
    if dump.content.cardInformation?.extendedLength == true { return true }
    if let announced = card.answerToReset?.extendedLength { return announced }
    return switch state.extendedLengthProbe {
    case .accepted: true
    case .refused: false
    case .notSent, .inconclusive: nil
    }
  }

  /// Longer than EF.CardAccess, and not too long for chips with a small response buffer.
  private static let probeLength = 1024

  /// Requests EF.CardAccess with extended length if the chip does not announce whether it supports that. In plain, a
  /// refusal costs one exchange and no session.
  private func probeExtendedLength() async throws {
    guard state.extendedLengthProbe == .notSent, let limit = card.extendedLengthLimit,
      card.answerToReset?.extendedLength == nil, request.maximumReadLength ?? limit > 256
    else { return }
    state.extendedLengthProbe = .inconclusive
    let probe = ReadBinary(
      address: .shortIdentifier(ElementaryFile.cardAccess.shortIdentifier), count: min(limit, Self.probeLength))
    let answer: ResponseAPDU
    do {
      answer = try await session.transceive(probe.command)
    } catch is PassportError {
      return
    } catch is CardError {
      // The reader cannot send it, or the chip has stopped answering.
      session.recordFailedProbe()
      state.extendedLengthProbe = .refused
      throw CardError.powerCycleNeeded
    }
    if answer.isDelivery {
      state.extendedLengthProbe = .accepted
    } else if answer.status == .wrongLength || answer.status.proposedLength != nil {
      state.extendedLengthProbe = .refused
    } else if answer.status == .fileNotFound {
      // A chip may return this status before it checks the length, so the status does not show whether it supports the
      // length.
      state.cardAccessRefusal = answer.status
    }
    if let file = Self.wholeFile(.cardAccess, answer) { dump.add(.cardAccess, file) }
  }

  private static func wholeFile(_ file: ElementaryFile, _ answer: ResponseAPDU) -> [UInt8]? {
    guard answer.status.deliversData, let header = try? BERTLV.header(of: answer.data[...]), header.tag == file.tag,
      answer.data.count >= header.totalLength
    else { return nil }
    return Array(answer.data.prefix(header.totalLength))
  }

  // MARK: - The master file

  /// EF.CardAccess lists whether the chip offers PACE. After power-up the master file is current, so that it is read by
  /// its short identifier, or by SELECT if the chip refuses that. A chip without a master file, or that refuses to
  /// select it, conforms: it has no EF.CardAccess.
  private func addMasterFileContent() async throws {
    let master = FileReader(session: session, extendedLength: .unavailable, cap: request.maximumReadLength)
    defer { if master.staysInFile { reader.stayInFile() } }
    if dump[.cardAccess] == nil {
      try await probeExtendedLength()
      try await addCardAccess(master)
    }
    guard session.isOpen, request.readsCardFiles else { return }
    try await addObjectList(.cardInformation, master)
    try await addObjectList(.directory, master)
  }

  private func addObjectList(_ file: ElementaryFile, _ master: FileReader) async throws {
    guard session.isOpen, dump[file] == nil else { return }
    do {
      dump.add(file, try await master.readObjectList(file))
    } catch is PassportError {
      // Few cards have it, and no step needs it.
    }
  }

  private func addCardAccess(_ master: FileReader) async throws {
    guard dump[.cardAccess] == nil else { return }
    if state.cardAccessRefusal == nil {
      state.cardAccessRefusal = try await addCardAccess(master, by: .shortIdentifier)
    }
    guard let refusal = state.cardAccessRefusal else { return }
    let isAboutTheFile = [.fileNotFound, .instructionNotSupported, .classNotSupported].contains(refusal)
    if isAboutTheFile {
      // The master file is current, so that one exchange shows whether the file is missing. A card access number opens
      // no chip without this file: then the master file is selected in any case.
      let selection = try await addCardAccess(master, by: .selection)
      guard let selection, selection != .fileNotFound || !request.opensByBasicAccessControl else { return }
    }
    // Some chips refuse to select the master file because it is current already.
    _ = try await session.select(.selectMasterFile)
    _ = try await addCardAccess(master, by: .selection, isMasterFileSelected: true)
  }

  /// - Returns: the status with which the chip refused to deliver the file, 0000 if it delivered another one; nil if it
  ///   did not.
  private func addCardAccess(
    _ master: FileReader, by addressing: FileReader.Addressing, isMasterFileSelected: Bool = false
  ) async throws -> StatusWord? {
    do {
      dump.add(.cardAccess, try await master.readFile(.cardAccess, by: addressing))
    } catch PassportError.fileUnavailable(_, let status) {
      return status
    } catch PassportError.fileMalformed where !isMasterFileSelected {
      // A card of several applications may select another one at power-up, with a file of its own by this identifier.
      return StatusWord.none
    } catch let error as PassportError {
      try recordOmission(of: .cardAccess, error)
    }
    return nil
  }

  // MARK: - Data groups

  private func addDataGroups(listedIn list: ElementaryFile) async throws {
    let listed = list == .sod ? listedInSecurityObject : listedInCommonData
    let wanted =
      request.dataGroups.map { groups in listed.filter(groups.union(request.securityGroups).contains) }
      ?? listed
    // The protected groups come last: a refusal may end the session.
    let files = wanted.compactMap(ElementaryFile.dataGroup)
    let ordered = files.filter { !$0.needsTerminalAuthentication } + files.filter(\.needsTerminalAuthentication)
    for (index, file) in ordered.enumerated() where !isSettled(file) {
      if opensLater(file) {
        dump.omissions.append(
          .init(file: file, cause: .protected, reason: "It can be read only after Terminal Authentication."))
      } else {
        session.distance?.expect(.listed(file, then: ordered.dropFirst(index + 1), in: list))
        try await addOptionalFile(file)
      }
    }
  }

  /// Whether a file was read, or will not be.
  package func isSettled(_ file: ElementaryFile) -> Bool {
    dump[file] != nil || dump.omissions.contains { $0.file == file }
  }

  /// Whether a file is read after Terminal Authentication, if at all.
  package func opensLater(_ file: ElementaryFile) -> Bool {
    guard file.needsTerminalAuthentication else { return false }
    return request.dataGroups == nil
      || request.terminalCredentials != nil && dump.content.offers(SecurityInfos.Arc.terminalAuthentication)
  }

  private var listedInSecurityObject: [Int] {
    (try? dump.securityObject())?.securityObject.digests.keys.sorted() ?? []
  }

  private var listedInCommonData: [Int] {
    let listed = (try? dump.content.commonData?.get())?.dataGroups ?? []
    // Groups that were requested by number are tried even if no list names them.
    return listed + (request.dataGroups ?? []).subtracting(listed).sorted()
  }

  /// DG14 and DG15 hold the chip's own keys. If only one of them is listed, the other is tried: some documents have
  /// one that no list names (the BSI reference set of 2008), and the report must say that EF.SOD does not cover it.
  private func addUnlistedSecurityGroup() async throws {
    guard request.dataGroups == nil, session.isOpen else { return }
    let missing = [14, 15].filter { dump.dataGroups[$0] == nil }
    guard missing.count == 1, let file = missing.first.flatMap(ElementaryFile.dataGroup),
      !dump.omissions.contains(where: { $0.file == file })
    else { return }
    do {
      dump.add(file, try await reader.readFile(file, by: reader.addressingOfUnlistedFile))
    } catch PassportError.fileUnavailable {
      // The lists are right.
    } catch PassportError.secureMessaging(.plainAnswer) where state.interruptions.record(file, bytes: 0) {
      // A session that begins anew has other keys, and this answer proves nothing about those of Chip Authentication.
      if awaitsChipAuthentication { dump.evidence.chipAuthentication = nil }
      if try await hasSession() { try await addUnlistedSecurityGroup() }
    } catch {
      try recordOmission(of: file, error)
    }
  }

  /// Selects the application again, which some chips leave by Chip Authentication. Where that is refused, the file or the
  /// command that follows has a status of its own.
  func returnToApplication() async throws {
    state.mayHaveLeftApplication = false
    do {
      try await selectApplication()
    } catch let error as PassportError {
      guard case .applicationNotFound = error else { throw error }
    }
  }

  // MARK: - Files

  /// Reads a file into the dump, again if the session was lost over a probe, or ended in the middle of the file.
  ///
  /// - Throws: any error of the file or the session.
  func addRequiredFile(_ file: ElementaryFile) async throws {
    var mustConfirm = false
    while dump[file] == nil {
      do {
        if mustConfirm { try await confirmOrEnd() }
        mustConfirm = false
        let bytes = try await reader.readFile(
          file, onProgress: { [onProgress] in onProgress(.reading(file, bytes: $0, of: $1)) })
        dump.add(file, bytes)
        recordFirstAnswer()
        state.mayHaveLeftApplication = false
      } catch PassportError.fileUnavailable(_, let status)
        where state.mayHaveLeftApplication && session.isOpen && status.meansOtherApplication
      {
        state.leavesApplication = true
        recordFirstAnswer()
        try await returnToApplication()
      } catch let error as PassportError {
        guard state.access == .open else { throw error }
        if session.hasFailedProbe {
          // A chip may end secure messaging over extended length, a short identifier or the end of a file. The probe is
          // not repeated, and its response proves nothing about the keys of Chip Authentication.
          if awaitsChipAuthentication { dump.evidence.chipAuthentication = nil }
          guard state.interruptions.recordChange() else { throw error }
        } else {
          guard case .secureMessaging(.plainAnswer) = error, !awaitsChipAuthentication,
            state.interruptions.record(file, bytes: reader.partialBytes(of: file)?.count ?? 0)
          else { throw error }
        }
        mustConfirm = true
        try await reopenAccess()
      }
    }
  }

  /// Reads a file into the dump, or records why it is missing.
  ///
  /// - Throws: as `recordOmission(of:_:)`.
  func addOptionalFile(_ file: ElementaryFile) async throws {
    guard !isSettled(file) else { return }
    guard try await hasSession() else {
      dump.omissions.append(
        .init(file: file, cause: .notReached, reason: "The session had ended before this file was requested."))
      return
    }
    do {
      try await addRequiredFile(file)
    } catch  where awaitsChipAuthentication && !session.isOpen && mayBeAnswerOfAnotherChip(error) {
      do {
        // The chip may not have the keys of Chip Authentication. Then the rest is read without it.
        let again = asksChipAgain(after: error)
        try await reopenAccess()
        try await confirmOrEnd()
        if again {
          try await authenticateChip()
          try await confirmNewKeys()
        }
      } catch {
        return try recordOmission(of: file, error)
      }
      try await addOptionalFile(file)
    } catch {
      try recordOmission(of: file, error)
    }
  }

  /// Compares the document. A session in which that cannot be done is not used.
  private func confirmOrEnd() async throws {
    do {
      try await confirmSameDocument()
    } catch {
      session.end(error)
      throw error
    }
  }

  /// Whether there is a session; a new one if the chip ended the last one over another file.
  func hasSession() async throws -> Bool {
    guard !session.isOpen else { return true }
    guard state.access == .open, state.interruptions.allowsNewSession else { return false }
    try await reopenAccessIfPossible()
    if !session.isOpen { state.interruptions.giveUp() }
    return session.isOpen
  }

  /// Records why an optional file is missing. A faulty file does not end the read, even if the chip ended secure
  /// messaging over it.
  ///
  /// - Throws: `error` if it must end the read: a forged response, another document, the loss of the card, a
  ///   cancellation, or any error that is not a `PassportError`.
  func recordOmission(of file: ElementaryFile, _ error: any Error) throws {
    guard let reason = error as? PassportError else { throw error }
    // Before DG1 was read there is no partial result.
    if !session.isOpen, dump[.dg1] == nil { throw error }
    let cause: DocumentDump.Omission.Cause
    switch reason {
    // A faulty chip may answer outside of secure messaging. A wrong MAC or a malformed object is no such fault, since
    // an attacker may be changing the responses.
    case .secureMessaging(let violation):
      guard case .plainAnswer(let status) = violation else { throw error }
      cause = file.needsTerminalAuthentication && status == .securityStatusNotSatisfied ? .protected : .undelivered
    case .otherDocument: throw error
    case .fileUnavailable(_, .securityStatusNotSatisfied) where file.needsTerminalAuthentication: cause = .protected
    default: cause = .undelivered
    }
    dump.omissions.append(.init(file: file, cause: cause, reason: reason.failure.cause))
  }
}
