import ChipTestSupport
import PassportTestSupport
import TesseraCryptography
import TesseraSmartCard
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraFleet
@testable import TesseraPassport
@testable import TesseraVirtualChip

/// The desk reads the virtual chip, and an inspector proves it. The outcome is that of a local read.
@Suite("Witnessed reads of every profile of the virtual chip")
struct WitnessedReadTests {
  /// The proof of these documents is Chip Authentication Mapping alone, which a desk can replay.
  static let provedByMappingAlone: Set<String> = ["finland-2023", "finland-id-2023"]

  @Test(
    """
    the verdict is that of a local read, unless Chip Authentication Mapping is the only proof; it costs the exchanges of a \
    read without Chip Authentication, those of the protocol and one
    """, arguments: ProfileRow.all)
  func verdict(_ row: ProfileRow) async throws {
    let original = try await ProfileRead.of(row.name)
    let (profile, document, local) = (original.profile, original.document, try original.report)
    let read = try await WitnessedRead(document, profile)
    let isMappingAlone = row.proofs == [Check.ID.paceChipAuthentication.rawValue]
    #expect(isMappingAlone == Self.provedByMappingAlone.contains(row.name))
    #expect(local.outcome == .genuine)
    #expect(read.report.outcome == (isMappingAlone ? .notEstablished : .genuine), "\(read.report.headline)")
    #expect(read.report.outcomeReason == (isMappingAlone ? .chipProof : nil))
    for (check, other) in zip(read.report.checks, local.checks) {
      let isMapping = check.id == .paceChipAuthentication
      #expect(check.status == (isMapping ? .skipped : other.status), "\(check)")
    }
    #expect(read.report.findings == local.findings)
    #expect(read.report.omissions.map(\.name) == local.omissions.map(\.name))
    // Only documents with Chip Authentication are asked for it, once.
    let offersChipAuthentication = row.proofs.contains(Check.ID.chipAuthentication.rawValue)
    #expect((read.answer?.response != nil) == offersChipAuthentication)
    #expect(await (read.inspector.witness != nil) == offersChipAuthentication)
    #expect(await read.inspector.calls == 1)

    let plain = try await WitnessedRead.local(document, profile) { $0.chipAuthentication = .never }.dump
    let expected = plain.statistics.exchanges + (try Self.chipAuthenticationCommands(read) ?? 0)
    #expect(read.dump.statistics.exchanges == expected)
  }

  @Test("the desk has no private key, and the inspector got all that was read", arguments: ProfileRow.all)
  func desk(_ row: ProfileRow) async throws {
    let original = try await ProfileRead.of(row.name)
    let (profile, document) = (original.profile, original.document)
    let read = try await WitnessedRead(document, profile) {
      $0.chipAuthentication = .always
      $0.dataGroups = [1]
    }
    #expect(read.dump.evidence.chipAuthentication == nil && read.dump.evidence.terminalAuthentication == nil)
    #expect(!read.dump.evidence.withholdsChipAuthentication)
    #expect(try read.dump.evidence.json()?.contains("rivateKey") != true)
    // The chip's keys are needed, whatever was requested.
    let groups = Set(document.files.all.compactMap(\.dataGroup)).intersection([1, 14, 15])
    #expect(Set(read.dump.dataGroups.keys) == groups)
    let stated = try #require(await read.inspector.stated)
    #expect(stated.files.map(\.bytes) == read.dump.files.map(\.bytes))
    #expect(stated.evidence == read.dump.evidence && stated.readerName == read.dump.readerName)
    // The commands of Chip Authentication and the confirmation follow.
    let count = read.dump.statistics.exchanges - stated.statistics.exchanges
    #expect(count == (try Self.chipAuthenticationCommands(read) ?? 0))
  }

  /// The exchanges of Chip Authentication with an inspector's key: one with MSE:Set KAT, or two with MSE:Set AT and
  /// GENERAL AUTHENTICATE; and the confirmation. nil if there was none.
  static func chipAuthenticationCommands(_ read: WitnessedRead) throws -> Int? {
    guard read.answer != nil else { return nil }
    let offer = try #require(read.dump.content.chipAuthentication)
    return (offer.chipAuthentication.cipher == .tripleDES ? 1 : 2) + 1
  }

  /// The documents whose chip can prove that it is the original.
  static let cloned = (ChipProfile.documents + [.mechanisms]).filter { !$0.authenticity.isEmpty }.map(\.name)

  @Test("clones are found as in a local read", arguments: cloned, [false, true])
  func clones(_ name: String, _ hasKeys: Bool) async throws {
    var profile = try #require(ChipProfile(named: name))
    let document = try SpecimenDocument(profile: profile)
    profile.fault = .clone
    if !hasKeys {
      profile.chipAuthentication = []
      profile.activeAuthentication = nil
    }
    let local = try await WitnessedRead.local(document, profile).report
    let read = try await WitnessedRead(document, profile)
    // A chip that refuses its proof gives none against it.
    let answers = hasKeys || local.checks.contains { $0.id == .paceChipAuthentication && $0.status == .failed }
    let (outcome, reason) = answers ? (Outcome.notGenuine, OutcomeReason.chip) : (.notEstablished, .chipProof)
    #expect(local.outcome == outcome && read.report.outcome == outcome, "\(read.report.headline)")
    #expect(read.report.outcomeReason == reason)
    #expect(read.report.failedChecks.map(\.id) == local.failedChecks.map(\.id))
  }

  @Test(
    "faulty chips and other issuances have the outcome of a local read",
    arguments: (ChipProfile.faulty + ChipProfile.issuances).map(\.name))
  func others(_ name: String) async throws {
    let original = try await ProfileRead.of(name)
    var (profile, document) = (original.profile, original.document)
    // The desk need not wait for the slow chip again.
    profile.latency = min(profile.latency, .milliseconds(1))
    let local: Report
    do {
      local = try original.report
    } catch let error as PassportError {
      await #expect(throws: error) { try await WitnessedRead(document, profile) }
      return
    }
    let read = try await WitnessedRead(document, profile)
    #expect(read.report.outcome == local.outcome && read.report.outcomeReason == local.outcomeReason)
    #expect(read.report.checks.map(\.status) == local.checks.map(\.status))
    #expect(read.report.findings == local.findings)
  }

  @Test("Terminal Authentication is not performed, even with certificates")
  func terminal() async throws {
    let profile = ChipProfile.mechanisms
    let document = try SpecimenDocument(adding: SpecimenDocument.everyGroup(), profile: profile)
    let terminal = try SpecimenTerminal()
    let credentials = try TerminalCredentials(
      certificates: terminal.certificates.map { bytes throws in try CVCertificate(bytes) },
      key: PrivateKey(SecretBytes(terminal.privateKey)))
    let read = try await WitnessedRead(document, profile) { $0.terminalCredentials = credentials }
    #expect(read.dump.evidence.terminalAuthentication == nil && read.dump[.dg3] == nil)
    #expect(read.report.omissions.map(\.name) == ["DG3", "DG4"] && read.report.omissions.allSatisfy(\.isExpected))
    #expect(read.report.outcome == .genuine)
  }

  @Test(
    "a chip that answers short identifiers in plain is proved",
    arguments: ["malaysia-2023", "france-2017"], [0x6985, 0x6986] as [UInt16])
  func plainRefusal(_ name: String, _ status: UInt16) async throws {
    let profile = try #require(ChipProfile(named: name))
    let document = try SpecimenDocument(profile: profile)
    let card = VirtualCard.card(try Chip(profile: profile, files: document.files))
    let channel = PlainAnswers(card.channel) { command in
      command[1] == 0xB0 && command[2] & 0x80 != 0 ? [UInt8(status >> 8), UInt8(status & 0xFF)] : nil
    }
    let read = try await WitnessedRead(document, profile, card: card.replacing(channel: channel))
    #expect(read.report[.chipAuthentication]?.status == .passed)
    #expect(read.report.outcome == .genuine)
  }
}
