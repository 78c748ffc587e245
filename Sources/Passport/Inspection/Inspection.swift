import Cryptography
import SmartCard

/// One read of one document: a flat list of named steps over one state.
///
/// DG1 and EF.SOD come first, since everything else can be done without: where an optional file makes the chip end
/// the session, what was read until then is kept and the read ends there.
public final class Inspection {
  public typealias ProgressHandler = @Sendable (InspectionProgress) -> Void

  private let request: InspectionRequest
  private let card: Card
  private let session: ChipSession
  private let onProgress: ProgressHandler
  private var dump = DocumentDump()

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
    try await selectApplication()
    try await openAccess()
    let reader = fileReader()
    try await readRequired(.dg1, reader)
    try await readOptional(.sod, reader)
    try await readDataGroups(listedInSecurityObject, reader)
    try await readOptional(.com, reader)
    try await readDataGroups(listedInCommonData, reader)
    try await readUnlistedSecurityGroup(reader)
  }

  private func fileReader() -> FileReader {
    FileReader(session: session, extendedLengthLimit: extendedLengthLimit, cap: request.maximumReadLength)
  }

  /// Extended length is used where the card announces it and the reader can carry it.
  private var extendedLengthLimit: Int? {
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

  private func selectApplication() async throws {
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

  private func openAccess() async throws {
    for attempt in 1...max(1, request.accessAttempts) {
      do {
        return try await performAccess()
      } catch PassportError.accessDenied where attempt < request.accessAttempts {
        try await Task.sleep(for: request.accessPause)
        try await selectApplication()
      }
    }
  }

  private func performAccess() async throws {
    switch request.key {
    case .mrz(let information):
      dump.givenKey = information
      onProgress(.accessing(.bac))
      let refusal: PassportError
      do {
        try await basicAccessControl(information)
        dump.accessProtocol = .bac
        onProgress(.accessGranted(.bac))
        return
      } catch let error as PassportError where session.isOpen && error.isRefusal {
        refusal = error
      }
      // A chip without access control may refuse the protocol and still be open.
      if try await fileReader().isReadable(.dg1) { break }
      if case .accessDenied = refusal { throw refusal }
      throw dump.content.offers(SecurityInfos.Arc.pace) ? PassportError.accessControlUnsupported : refusal
    case .can: throw PassportError.accessKeyUnsuitable
    case nil:
      onProgress(.accessing(.none))
      guard try await fileReader().isReadable(.dg1) else { throw PassportError.accessKeyRequired }
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

  private func readDataGroups(_ listed: [Int], _ reader: FileReader) async throws {
    let wanted = request.dataGroups.map { groups in listed.filter(groups.contains) } ?? listed
    // The protected ones last: a refusal may end the session.
    let files = wanted.compactMap(ElementaryFile.dataGroup)
    for file in files.filter({ !$0.needsTerminalAuthentication }) + files.filter(\.needsTerminalAuthentication)
    where dump[file] == nil && !dump.omissions.contains(where: { $0.file == file }) {
      if file.needsTerminalAuthentication, request.dataGroups == nil {
        dump.omissions.append(
          .init(file: file, cause: .protected, reason: "It is open only after Terminal Authentication."))
      } else {
        try await readOptional(file, reader)
      }
    }
  }

  /// DG14 and DG15 hold the chip's own keys. Where only one of them is listed the other is looked for, since there
  /// are documents with one that no list names (the BSI reference set of 2008): it must come out that nothing
  /// vouches for it.
  private func readUnlistedSecurityGroup(_ reader: FileReader) async throws {
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

  private func readRequired(_ file: ElementaryFile, _ reader: FileReader) async throws {
    let bytes = try await reader.read(file) { [onProgress] in onProgress(.reading(file, bytes: $0, of: $1)) }
    dump.add(file, bytes)
  }

  private func readOptional(_ file: ElementaryFile, _ reader: FileReader) async throws {
    guard session.isOpen else {
      dump.omissions.append(.init(file: file, cause: .notReached, reason: "The session had ended before."))
      return
    }
    do {
      try await readRequired(file, reader)
    } catch {
      try setAside(file, error)
    }
  }

  /// An optional file that misbehaves does not end the read, not even where the chip ended secure messaging over it;
  /// a forged answer, the loss of the card, a cancellation and our own defects do.
  private func setAside(_ file: ElementaryFile, _ error: any Error) throws {
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

extension PassportError {
  /// Whether the chip just said no, which leaves the session usable.
  fileprivate var isRefusal: Bool {
    switch self {
    case .accessDenied, .unexpectedStatus: true
    default: false
    }
  }
}
