import TesseraSmartCard
import TesseraVirtualChip
import Testing

@testable import TesseraPassport

/// The same document read with and without batches.
enum ComparedReads {
  /// What a read has led to, without what differs by chance or by the number of exchanges.
  struct Outcome: Equatable, CustomStringConvertible {
    var error: String?
    var files: [String] = []
    var bytes: [[UInt8]] = []
    var omissions: [DocumentDump.Omission] = []
    var access: AccessProtocol?
    var pace: PACERun?
    var chipAuthentication: ChipAuthenticationEvidence.Finding?
    var paceChipAuthentication: Bool?
    var activeAuthentication: StatusWord?
    var terminalAuthentication: TerminalAuthenticationEvidence.Outcome?
    var withholdsChipAuthentication: Bool?

    init(_ result: Result<DocumentDump, any Error>) {
      switch result {
      // Half a response may end with any status word.
      case .failure(let error): self.error = "\(error)".replacing(/status [0-9A-F]{4}/, with: "a status")
      case .success(let dump):
        files = dump.files.map(\.file.name)
        bytes = dump.files.map(\.bytes)
        omissions = dump.omissions
        access = dump.accessProtocol
        pace = dump.pace
        let offer = (try? dump.content.dataGroup14?.get())
          .flatMap { try? ChipAuthentication.strongest(of: $0.securityInfos) }
        chipAuthentication = offer.flatMap { dump.evidence.chipAuthentication?.evaluate($0) }
        paceChipAuthentication = dump.evidence.paceChipAuthentication.map { $0.chipAuthenticationData != nil }
        activeAuthentication = dump.evidence.activeAuthentication?.status
        terminalAuthentication = dump.evidence.terminalAuthentication?.outcome
        withholdsChipAuthentication = dump.evidence.withholdsChipAuthentication
      }
    }

    var description: String {
      if let error { return error }
      let evidence = [chipAuthentication.map { "\($0)" }, activeAuthentication.map { "\($0)" }].compactMap { $0 }
      return "\(files) \(bytes.map(\.count)) \(omissions.map(\.reason)) \(evidence)"
    }
  }

  struct Reading {
    let result: Result<DocumentDump, any Error>
    let channel: FaultyChannel
    let remote: RemoteCard

    var outcome: Outcome { Outcome(result) }
  }

  /// Reads a software chip at the other end of a network.
  ///
  /// - Parameters:
  ///   - isShort: whether the reader has short APDUs only.
  ///   - wrap: adds a deviation of the chip or the reader.
  static func read(
    _ files: ChipFiles, _ profile: ChipProfile, batches: Bool, isShort: Bool = true, fault: Fault? = nil,
    at index: Int = 0, wrap: (any CardChannel) -> any CardChannel = { $0 },
    change: (inout InspectionRequest) throws -> Void = { _ in }
  ) async throws -> Reading {
    let card = VirtualCard.card(try Chip(profile: profile, files: files))
    let channel = FaultyChannel(wrap(card.channel), fault: fault, at: index)
    let remote = RemoteCard(channel)
    let used = Card(
      channel: batches ? remote : channel, readerName: "test", answerToReset: card.answerToReset,
      extendedLengthLimit: isShort ? nil : card.extendedLengthLimit)
    var request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    if batches { request.foresee(on: remote) }
    try change(&request)
    do {
      return Reading(result: .success(try await Inspection.read(used, request)), channel: channel, remote: remote)
    } catch {
      return Reading(result: .failure(error), channel: channel, remote: remote)
    }
  }

  /// Expects the same outcome with and without batches.
  ///
  /// - Returns: both reads.
  @discardableResult
  static func expectEqual(
    _ files: ChipFiles, _ profile: ChipProfile, isShort: Bool = true, fault: Fault? = nil, at index: Int = 0,
    wrap: (any CardChannel) -> any CardChannel = { $0 },
    change: (inout InspectionRequest) throws -> Void = { _ in }, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> (single: Reading, batched: Reading) {
    let single = try await read(
      files, profile, batches: false, isShort: isShort, fault: fault, at: index, wrap: wrap, change: change)
    let batched = try await read(
      files, profile, batches: true, isShort: isShort, fault: fault, at: index, wrap: wrap, change: change)
    #expect(batched.outcome == single.outcome, comment, sourceLocation: sourceLocation)
    return (single, batched)
  }
}
