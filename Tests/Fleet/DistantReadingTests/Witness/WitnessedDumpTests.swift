import PassportTestSupport
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraFleet
@testable import TesseraPassport
@testable import TesseraVerification

/// An inspector's dump is verified again later, and must not become better by that.
@Suite("Dumps of witnessed reads")
struct WitnessedDumpTests {
  static let challenge: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

  private static func read(_ files: ChipFiles, _ profile: ChipProfile) async throws -> DocumentDump {
    var request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    request.readsCardFiles = true
    return try await Inspection.read(VirtualCard.card(try Chip(profile: profile, files: files)), request)
  }

  /// Writes and loads a dump.
  private static func stored(_ dump: DocumentDump, as name: String) throws -> SavedDump {
    let folder = try TemporaryFolder()
    try SavedDump(dump, report: try? Report(dump)).write(to: folder.file(name))
    return try SavedDump.load(path: folder.file(name))
  }

  /// What an inspector has of a document that a desk read on its own, with the desk's evidence.
  static func witnessed(
    _ name: String, _ change: (inout [(file: ElementaryFile, bytes: [UInt8])]) -> Void = { _ in }
  ) async throws -> (dump: DocumentDump, document: SpecimenDocument) {
    let profile = try #require(ChipProfile(named: name))
    let document = try SpecimenDocument(profile: profile)
    let local = try await Self.read(document.files, profile)
    var files = local.files
    change(&files)
    let dump = DocumentDump(
      witnessed: files, deskEvidence: local.evidence, challenge: challenge, omissions: local.omissions)
    return (dump, document)
  }

  @Test(
    "a saved dump has the verdict of the inspector",
    arguments: [
      // The desk's proofs, which are good, prove nothing to the inspector.
      ("malaysia-2023", Outcome.notEstablished, OutcomeReason.chipProof), ("finland-2023", .notEstablished, .chipProof),
      ("germany-2023", .notEstablished, .chipProof), ("hong-kong-2025", .notEstablished, .challenge),
    ])
  func saved(_ name: String, _ outcome: Outcome, _ reason: OutcomeReason) async throws {
    let (dump, document) = try await Self.witnessed(name)
    let challenge = dump.requiredChallenge(Self.challenge)
    let report = try Report(dump, trust: TrustMaterial(of: document), challenge: challenge)
    #expect(report.outcome == outcome && report.outcomeReason == reason, "\(report.headline)")
    for form in ["dump", "d.tessera"] {
      let loaded = try Self.stored(dump, as: form).dump
      #expect(loaded.evidence == dump.evidence && loaded.omissions == dump.omissions)
      #expect(loaded.evidence.isMappingReported == (dump.evidence.paceChipAuthentication != nil))
      let again = try Report(loaded, trust: TrustMaterial(of: document), challenge: challenge)
      #expect(again.checks == report.checks && again.outcome == outcome)
    }
  }

  @Test("a saved dump without the chip's keys stays one", arguments: ["malaysia-2023", "hong-kong-2025"])
  func incomplete(_ name: String) async throws {
    let (dump, document) = try await Self.witnessed(name) { files in
      files.removeAll { [.com, .dg14, .dg15].contains($0.file) }
    }
    let missing = dump.omissions.filter { $0.cause == .undelivered }.map(\.file.name)
    #expect(missing == (name == "malaysia-2023" ? ["DG14"] : ["DG14", "DG15"]))
    let loaded = try Self.stored(dump, as: "dump").dump
    for dump in [dump, loaded] {
      let report = try Report(dump, trust: TrustMaterial(of: document))
      #expect(report.outcome == .notEstablished && report.outcomeReason == .dataGroupMissing)
    }
  }

  @Test("evidence of an earlier version is loaded, and its Chip Authentication Mapping counts")
  func earlier() async throws {
    let local = try await ProfileRead.of("finland-2023", readsCardFiles: true).dump
    let text = try #require(try local.evidence.json())
    #expect(!text.contains("isMappingReported"))
    let evidence = try ChipEvidence(json: text)
    #expect(evidence == local.evidence && !evidence.isMappingReported)
  }

  @Test("an answer to another challenge is named as such")
  func otherChallenge() async throws {
    let (dump, document) = try await Self.witnessed("hong-kong-2025")
    let challenge = dump.requiredChallenge(Self.challenge)
    #expect(challenge == Self.challenge)
    let report = try Report(dump, trust: TrustMaterial(of: document), challenge: challenge)
    #expect(report[.activeAuthentication]?.detail == "The chip signed another challenge than the given one.")
  }

  @Test(
    "the challenge is required if EF.SOD lists DG15, whatever was sent", arguments: ["hong-kong-2025", "malaysia-2023"])
  func requiredChallenge(_ name: String) async throws {
    let expected = name == "hong-kong-2025" ? Self.challenge : nil
    #expect(try await Self.witnessed(name).dump.requiredChallenge(Self.challenge) == expected)
    let (hidden, _) = try await Self.witnessed(name) { files in files.removeAll { [.com, .dg15].contains($0.file) } }
    #expect(hidden.requiredChallenge(Self.challenge) == expected)
    let (unsigned, _) = try await Self.witnessed(name) { files in files.removeAll { $0.file == .sod } }
    #expect(unsigned.requiredChallenge(Self.challenge) == nil)
  }

  @Test("the evidence of Chip Authentication that the desk states is no proof, and its refusal counts")
  func deskEvidence() async throws {
    let (dump, _) = try await Self.witnessed("malaysia-2023")
    #expect(dump.evidence.chipAuthentication == nil && dump.evidence.withholdsChipAuthentication)
    var desk = ChipEvidence()
    desk.chipAuthentication = ChipAuthenticationEvidence(
      protocolIdentifier: "", keyIdentifier: nil, readerPrivateKey: SecretBytes([1, 2, 3]),
      firstAnswer: [0x90, 0x00], refusal: StatusWord(0x6A80))
    var refused = DocumentDump(
      witnessed: dump.files, deskEvidence: desk, challenge: Self.challenge, omissions: [])
    #expect(refused.evidence.chipAuthentication?.refusal == StatusWord(0x6A80))
    #expect(refused.evidence.chipAuthentication?.readerPrivateKey.count == 0)
    #expect(try ChipAuthenticationWitness(for: refused)?.agreement == nil)
    // No later proof replaces it.
    let proof = try #require(try ChipAuthenticationWitness(for: dump)).evidence(for: WitnessedAnswer())
    refused.add(chipAuthentication: proof)
    #expect(refused.evidence.chipAuthentication?.refusal == StatusWord(0x6A80))
  }
}
