import ChipTestSupport
import PassportTestSupport
import TesseraPassport
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

/// A clone has all files of a document and not the private keys of its chip.
@Suite("Clones of every document with a proof of the chip")
struct CloneTests {
  static let names = (ChipProfile.documents + [.mechanisms]).filter { !$0.authenticity.isEmpty }.map(\.name)

  static func read(_ name: String, _ change: (inout ChipProfile) -> Void) async throws -> Report {
    var profile = try #require(ChipProfile(named: name))
    let document = try SpecimenDocument(profile: profile)
    change(&profile)
    let dump = try await Reads.read(document.files, profile: profile).dump.get()
    return try Report(dump, trust: TrustMaterial(of: document))
  }

  private func expectClone(_ report: Report, _ outcome: Outcome, _ reason: OutcomeReason) {
    let proofs: Set<Check.ID> = [.chipAuthentication, .activeAuthentication, .paceChipAuthentication]
    #expect(report.outcome == outcome && report.outcomeReason == reason, "\(report.checks)")
    // The files are the original's, and are said to be.
    #expect(report.failedChecks.allSatisfy { proofs.contains($0.id) } && !report.failedChecks.isEmpty)
    #expect(report[.passiveHashes]?.status == .passed && report[.passiveChain]?.status == .passed)
    for id in proofs { #expect(report[id]?.status != .passed, "\(id)") }
    #expect(report.headline.contains(reason.clause))
  }

  @Test("a clone with other keys", arguments: names)
  func otherKeys(_ name: String) async throws {
    #expect(try await ProfileRead.of(name).report.outcome == .genuine)
    expectClone(try await Self.read(name) { $0.fault = .clone }, .notGenuine, .chip)
  }

  @Test("a clone without keys, which refuses what needs one", arguments: names)
  func noKeys(_ name: String) async throws {
    let report = try await Self.read(name) {
      $0.chipAuthentication = []
      $0.activeAuthentication = nil
      $0.fault = .clone
    }
    // Chip Authentication Mapping is part of opening the chip, so that the clone gives a wrong proof.
    let answers = report[.paceChipAuthentication]?.status == .failed
    expectClone(report, answers ? .notGenuine : .notEstablished, answers ? .chip : .chipProof)
  }
}
