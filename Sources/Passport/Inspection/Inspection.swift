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
  /// For the present keys.
  private(set) lazy var reader = fileReader()
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
    try await readCardAccess()
    try await openAccess()
    try await readRequired(.dg1)
    try await readOptional(.sod)
    try await authenticateChip()
    try await readDataGroups(listedInSecurityObject)
    try await readOptional(.com)
    // Where EF.SOD does not tell of DG14, EF.COM may.
    try await authenticateChip()
    try await readDataGroups(listedInCommonData)
    try await readUnlistedSecurityGroup()
    try await confirmChipAuthentication()
    try await authenticateActively()
    try await authenticateTerminal()
  }

  func fileReader() -> FileReader {
    FileReader(session: session, extendedLengthLimit: extendedLengthLimit, cap: request.maximumReadLength)
  }

  /// Extended length is used where the card announces it and the reader can carry it.
  var extendedLengthLimit: Int? {
    guard card.answerToReset?.announcesExtendedLength == true else { return nil }
    return card.extendedLengthLimit
  }

  // MARK: - Steps

  /// EF.CardAccess tells whether the chip offers PACE. After power-up the master file is current, so it is read by
  /// its short identifier; a chip that dislikes that is asked again after SELECT MF. Having no master file, or
  /// refusing to select it, is no fault: then there is no EF.CardAccess.
  private func readCardAccess() async throws {
    do {
      dump.add(.cardAccess, try await fileReader().read(.cardAccess, by: .shortIdentifier))
    } catch PassportError.fileUnavailable(_, let status) {
      let meansAbsent: [StatusWord] = [
        .fileNotFound, .securityStatusNotSatisfied, .instructionNotSupported, .classNotSupported,
      ]
      if !meansAbsent.contains(status) { try await readCardAccessFromMasterFile() }
    } catch let error as PassportError {
      try setAside(.cardAccess, error)
    }
  }

  private func readCardAccessFromMasterFile() async throws {
    let selection = CommandAPDU(ins: 0xA4, p1: 0x00, p2: 0x0C, data: [0x3F, 0x00])
    guard try await session.send(selection).status.deliversData else { return }
    do {
      dump.add(.cardAccess, try await fileReader().read(.cardAccess, by: .selection))
    } catch PassportError.fileUnavailable {
      // There is none.
    } catch let error as PassportError {
      try setAside(.cardAccess, error)
    }
  }

  /// What depends on the keys is made anew.
  func keysChanged() { reader = fileReader() }

  private func readDataGroups(_ listed: [Int]) async throws {
    let wanted = request.dataGroups.map { groups in listed.filter(groups.contains) } ?? listed
    // The protected ones last: a refusal may end the session.
    let files = wanted.compactMap(ElementaryFile.dataGroup)
    for file in files.filter({ !$0.needsTerminalAuthentication }) + files.filter(\.needsTerminalAuthentication)
    where dump[file] == nil && !dump.omissions.contains(where: { $0.file == file }) {
      if file.needsTerminalAuthentication, request.dataGroups == nil || request.terminalCredentials != nil {
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
    let bytes = try await reader.read(file) { [onProgress] in onProgress(.reading(file, bytes: $0, of: $1)) }
    dump.add(file, bytes)
    keepFirstAnswer()
  }

  func readOptional(_ file: ElementaryFile) async throws {
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
    case .fileUnavailable(_, .securityStatusNotSatisfied) where file.needsTerminalAuthentication: cause = .protected
    default: cause = .undelivered
    }
    dump.omissions.append(.init(file: file, cause: cause, reason: reason.failure.cause))
  }
}
