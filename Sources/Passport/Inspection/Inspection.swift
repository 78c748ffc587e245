import Cryptography
import SmartCard

/// One read of one document: a flat list of named steps over one state.
///
/// DG1 and EF.SOD come first, since everything else can be done without: where an optional file makes the chip end
/// the session, what was read until then is kept and the read ends there.
public final class Inspection {
  public typealias ProgressHandler = @Sendable (InspectionProgress) -> Void

  let request: InspectionRequest
  let card: Card
  let session: ChipSession
  let onProgress: ProgressHandler
  var dump = DocumentDump()
  /// For the files of the application, and for EF.CardSecurity; what it learns of the chip lasts.
  private(set) lazy var reader = FileReader(
    session: session, extendedLength: .unavailable, cap: request.maximumReadLength)
  /// Whether the application is selected and open.
  var isOpen = false
  /// Whether it has been.
  var hasBeenOpen = false
  var losses = Losses()
  /// Whether the document was moved away since it proved to be the original.
  var isProofOld = false
  /// Whether Chip Authentication was begun once more with its numbers in the other form of long commands.
  var hasChangedFormForChip = false
  /// Whether the card was lost over a trial of this reader's.
  private var isLostByTrial = false
  /// Whether a chip whose answer to reset does not tell takes commands with extended length; nil where the trial has not
  /// shown it.
  private var takesExtendedLength: Bool?
  private var hasTriedExtendedLength = false
  /// How the chip has refused to read EF.CardAccess by its short identifier.
  private var cardAccessRefusal: StatusWord?
  /// Why PACE is not done though the chip offers it, or may offer it, and nobody asked for that.
  var paceProblem: PACEError?
  /// The keys that Terminal Authentication binds to.
  var accessKeys = AccessKeys()

  private init(_ card: Card, _ request: InspectionRequest, _ onProgress: @escaping ProgressHandler) {
    self.card = card
    self.request = request
    self.onProgress = onProgress
    session = ChipSession(channel: card.channel)
  }

  /// Reads the document on `card`.
  ///
  /// - Throws: `PassportError`, `CardError`, `CancellationError`; because of an optional file only where its answer is
  ///   forged.
  public static func read(
    _ card: Card, _ request: InspectionRequest, onProgress: @escaping ProgressHandler = { _ in }
  ) async throws -> DocumentDump {
    if let challenge = request.activeAuthenticationChallenge,
      challenge.count != ActiveAuthenticationDriver.challengeLength
    {
      throw PassportError.challengeLength(challenge.count)
    }
    let inspection = Inspection(card, request, onProgress)
    let start = ContinuousClock.now
    try await inspection.run()
    inspection.dump.statistics = inspection.session.statistics
    inspection.dump.readerName = card.readerName
    inspection.dump.duration = ContinuousClock.now - start
    onProgress(.finished)
    return inspection.dump
  }

  private func run() async throws {
    onProgress(.connected)
    try await step { try await readMasterFile() }
    reader.extendedLength = extendedLength
    session.extendedLengthLimit = card.extendedLengthLimit
    session.chainsLongCommands = card.extendedLengthLimit == nil || knownExtendedLength == false
    try await step { try await openAccess() }
    try await step { try await readRequired(.dg1) }
    try await step { try await readOptional(.sod) }
    try await step { try await authenticateChip() }
    try await step { try await readDataGroups(listedInSecurityObject) }
    // Before EF.COM, which nothing vouches for: a chip that ends the session over it must have proved itself by then.
    try await step { try await authenticateActively() }
    try await step { try await readOptional(.com) }
    // Where EF.SOD does not tell of DG14, EF.COM may.
    try await step { try await authenticateChip() }
    try await step { try await readDataGroups(listedInCommonData) }
    try await step { try await readUnlistedSecurityGroup() }
    try await step { try await confirmChipAuthentication() }
    try await step { try await authenticateActively() }
    try await step { try await authenticateTerminal() }
  }

  /// Does one thing of the read; where the document is moved away meanwhile and comes back, goes on with it. Each step
  /// therefore begins with what is still missing of it.
  private func step(_ body: () async throws -> Void) async throws {
    while true {
      do {
        return try await body()
      } catch {
        try await comeBack(after: error)
      }
    }
  }

  /// What is known of extended length before access control.
  private var extendedLength: BlockSize.ExtendedLength {
    guard let limit = card.extendedLengthLimit, knownExtendedLength == true else { return .unavailable }
    return .announced(min(limit, dump.content.cardInformation?.longestResponse ?? limit))
  }

  /// Whether the chip takes extended length; nil where nothing tells.
  private var knownExtendedLength: Bool? {
    if dump.content.cardInformation?.extendedLength == true { return true }
    return card.answerToReset?.extendedLength ?? takesExtendedLength
  }

  // MARK: - Steps

  /// EF.CardAccess tells whether the chip offers PACE. After power-up the master file is current, so it is read by
  /// its short identifier; a chip that refuses that is asked again by SELECT. Having no master file, or refusing to
  /// select it, is no fault: then there is no EF.CardAccess.
  private func readMasterFile() async throws {
    let master = FileReader(session: session, extendedLength: .unavailable, cap: request.maximumReadLength)
    if dump[.cardAccess] == nil {
      try await tryExtendedLength()
      try await readCardAccess(master)
    }
    // What the chip takes, its answer to reset tells, or the trial has shown.
    guard session.isOpen, request.readsCardFiles else { return }
    try await readObjects(.cardInformation, master)
    try await readObjects(.directory, master)
  }

  /// Where nothing tells whether the chip takes extended length, EF.CardAccess is asked for with it: in plain, when a
  /// refusal costs one exchange and no session.
  private func tryExtendedLength() async throws {
    guard !hasTriedExtendedLength, let limit = card.extendedLengthLimit, card.answerToReset?.extendedLength == nil,
      request.maximumReadLength ?? limit > 256
    else { return }
    hasTriedExtendedLength = true
    let answer: ResponseAPDU
    do {
      answer = try await session.send(
        CommandAPDU(
          ins: 0xB0, p1: 0x80 | ElementaryFile.cardAccess.shortIdentifier, p2: 0,
          expectedLength: min(limit, Self.trialLength)))
    } catch is PassportError {
      return
    } catch is CardError {
      // The reader cannot carry it, or the chip does not survive it: it is powered anew.
      isLostByTrial = true
      takesExtendedLength = false
      throw CardError.transmission(code: 0)
    }
    // A chip without the file may say so before it looks at the length: that shows nothing.
    if answer.status.deliversData {
      takesExtendedLength = true
    } else if answer.status == .wrongLength || answer.status.proposedLength != nil {
      takesExtendedLength = false
    } else if answer.status == .fileNotFound {
      cardAccessRefusal = answer.status
    }
    if let file = Self.wholeFile(.cardAccess, answer) { dump.add(.cardAccess, file) }
  }

  /// Longer than EF.CardAccess is, and not too long for chips with a small buffer of their own.
  private static let trialLength = 1024

  /// Whether the last loss was this reader's own doing; says so once.
  func takeLostByTrial() -> Bool {
    defer { isLostByTrial = false }
    return isLostByTrial || reader.takeLostByTrial()
  }

  private static func wholeFile(_ file: ElementaryFile, _ answer: ResponseAPDU) -> [UInt8]? {
    guard answer.status.deliversData, let header = try? BERTLV.header(of: answer.data[...]), header.tag == file.tag,
      answer.data.count >= header.totalLength
    else { return nil }
    return Array(answer.data.prefix(header.totalLength))
  }

  private func readObjects(_ file: ElementaryFile, _ master: FileReader) async throws {
    guard session.isOpen, dump[file] == nil else { return }
    do {
      dump.add(file, try await master.readObjects(file))
    } catch is PassportError {
      // Few cards have it, and nothing depends on it.
    }
  }

  private func readCardAccess(_ master: FileReader) async throws {
    guard dump[.cardAccess] == nil else { return }
    if cardAccessRefusal == nil { cardAccessRefusal = try await readCardAccess(master, by: .shortIdentifier) }
    guard let refusal = cardAccessRefusal else { return }
    let isAboutTheFile = [.fileNotFound, .instructionNotSupported, .classNotSupported].contains(refusal)
    if isAboutTheFile {
      // The master file is current: one exchange tells that the file is not there. By the card access number such a
      // chip cannot be opened at all, so that it is looked for everywhere.
      let selection = try await readCardAccess(master, by: .selection)
      guard let selection, selection != .fileNotFound || !request.opensByBasicAccessControl else { return }
    }
    // There are chips that refuse to select the master file, which is current already.
    _ = try await session.send(.selectMasterFile)
    _ = try await readCardAccess(master, by: .selection)
  }

  /// - Returns: how the chip has refused to deliver it; nil where it has not.
  private func readCardAccess(
    _ master: FileReader, by addressing: FileReader.Addressing
  ) async throws -> StatusWord? {
    do {
      dump.add(.cardAccess, try await master.read(.cardAccess, by: addressing))
    } catch PassportError.fileUnavailable(_, let status) {
      return status
    } catch let error as PassportError {
      try setAside(.cardAccess, error)
    }
    return nil
  }

  private func readDataGroups(_ listed: [Int]) async throws {
    let wanted =
      request.dataGroups.map { groups in listed.filter(groups.union(request.securityGroups).contains) }
      ?? listed
    // The protected ones last: a refusal may end the session.
    let files = wanted.compactMap(ElementaryFile.dataGroup)
    for file in files.filter({ !$0.needsTerminalAuthentication }) + files.filter(\.needsTerminalAuthentication)
    where dump[file] == nil && !dump.omissions.contains(where: { $0.file == file }) {
      let opensLater =
        request.terminalCredentials != nil && dump.content.offers(SecurityInfos.Arc.terminalAuthentication)
      if file.needsTerminalAuthentication, request.dataGroups == nil || opensLater {
        dump.omissions.append(
          .init(file: file, cause: .protected, reason: "It is open only after Terminal Authentication."))
      } else {
        try await readOptional(file)
      }
    }
  }

  /// DG14 and DG15 hold the chip's own keys. Where only one of them is listed the other is looked for, since there
  /// are documents with one that no list names (the BSI reference set of 2008): it must come out that nothing
  /// vouches for it.
  private func readUnlistedSecurityGroup() async throws {
    guard request.dataGroups == nil, session.isOpen else { return }
    let missing = [14, 15].filter { dump.dataGroups[$0] == nil }
    guard missing.count == 1, let file = missing.first.flatMap(ElementaryFile.dataGroup),
      !dump.omissions.contains(where: { $0.file == file })
    else { return }
    do {
      dump.add(file, try await reader.read(file))
    } catch PassportError.fileUnavailable {
      // As the lists said.
    } catch {
      try setAside(file, error)
    }
  }

  private var listedInSecurityObject: [Int] {
    (try? dump.securityObject())?.securityObject.digests.keys.sorted() ?? []
  }

  private var listedInCommonData: [Int] {
    let listed = (try? dump.content.commonData?.get())?.dataGroups ?? []
    // Groups that were asked for by number are tried even where no list names them.
    return listed + (request.dataGroups ?? []).subtracting(listed).sorted()
  }

  // MARK: - Files

  func readRequired(_ file: ElementaryFile) async throws {
    while dump[file] == nil {
      do {
        dump.add(file, try await read(file))
        keepFirstAnswer()
      } catch let error as PassportError {
        // A chip may end secure messaging over extended length or a short identifier. It is not asked for that again.
        guard isOpen, reader.takeLostByTrial() else { throw error }
        // Nor is what it said then an answer under the keys of Chip Authentication.
        if awaitsChipAuthentication { dump.evidence.chipAuthentication = nil }
        try await reopenAccess()
      }
    }
  }

  private func read(_ file: ElementaryFile) async throws -> [UInt8] {
    try await reader.read(file) { [onProgress] in onProgress(.reading(file, bytes: $0, of: $1)) }
  }

  func readOptional(_ file: ElementaryFile) async throws {
    guard dump[file] == nil, !dump.omissions.contains(where: { $0.file == file }) else { return }
    guard session.isOpen else {
      dump.omissions.append(.init(file: file, cause: .notReached, reason: "The session had ended before."))
      return
    }
    do {
      try await readRequired(file)
    } catch  where awaitsChipAuthentication && !session.isOpen && isAnswerOfAnotherChip(error) {
      // The chip does not have the keys of Chip Authentication: it is not the original. The rest is read without.
      do {
        try await reopenAccess()
      } catch {
        return try setAside(file, error)
      }
      try await readOptional(file)
    } catch {
      try setAside(file, error)
    }
  }

  /// An optional file that misbehaves does not end the read, not even where the chip ended secure messaging over it;
  /// a forged answer, the loss of the card, a cancellation and our own defects do.
  func setAside(_ file: ElementaryFile, _ error: any Error) throws {
    guard let reason = error as? PassportError else { throw error }
    // Before access control there is nothing to keep: a broken session means that nothing can be read at all.
    if !session.isOpen, dump[.dg1] == nil { throw error }
    let cause: DocumentDump.Omission.Cause
    switch reason {
    // A careless chip answers outside of secure messaging; a wrong MAC or a malformed object is no carelessness, since
    // somebody may be changing the answers.
    case .secureMessaging(let violation):
      guard case .plainAnswer = violation else { throw error }
      cause = .undelivered
    case .otherDocument: throw error
    case .fileUnavailable(_, .securityStatusNotSatisfied) where file.needsTerminalAuthentication: cause = .protected
    default: cause = .undelivered
    }
    dump.omissions.append(.init(file: file, cause: cause, reason: reason.failure.cause))
  }
}
