import FleetLab
import PassportTestSupport
import TesseraPassport
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("Reading every document elsewhere", .enabled(if: LoadServers.isEnabled))
  struct ProfileReadingTests {
    /// What decides between profiles is the chip's proof: a desk cannot pass on the proof of PACE's mapping, since it has
    /// the keys of PACE.
    private static func witnessed(_ local: Report) -> (Outcome, OutcomeReason?) {
      let proofs: [Check.ID] = [.chipAuthentication, .activeAuthentication]
      let onlyMapping =
        local[.paceChipAuthentication]?.status == .passed && !proofs.contains { local[$0]?.status == .passed }
      return onlyMapping && local.outcome == .genuine
        ? (.notEstablished, .chipProof) : (local.outcome, local.outcomeReason)
    }

    /// Which documents those are, `ProfileRow.representatives` and `FaultRow.representatives` say. In process,
    /// `WitnessedReadTests` compares every document with a local read.
    private static let profiles = Sweep.rows(ChipProfile.all) { profile in
      (ProfileRow.representatives.map(\.name) + FaultRow.representatives.map(\.name)).contains(profile.name)
    }

    @Test("a document has the verdict of a local read, with one record", arguments: FleetReadingMode.allCases)
    func allProfiles(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let recorder = LabRecorder()
      let trust = LabTrust(nil)
      let inspector = try await lab.inspector(trust: trust, recorder: recorder)
      let desk = try await lab.desk("desk-1")
      for profile in Self.profiles {
        let document = try LabDocument(profile)
        trust.use(document.trust)
        let request = try LabDocument.request()
        let local: Report
        do {
          local = try await ProfileRead.of(profile.name).report
        } catch let error as PassportError {
          let thrown = await #expect(throws: (any Error).self, "\(profile.name)") {
            try await desk.read(document.source, request, mode: mode)
          }
          switch mode {
          case .witnessed: #expect(thrown as? PassportError == error, "\(profile.name)")
          case .remote: #expect(thrown as? FleetError == FleetError(error), "\(profile.name)")
          }
          continue
        }
        let reading = try await desk.read(document.source, request, mode: mode)
        let (outcome, reason) = mode == .remote ? (local.outcome, local.outcomeReason) : Self.witnessed(local)
        #expect(reading.outcome == outcome, "\(profile.name): \(reading.headline)")
        #expect(reading.reason == reason, "\(profile.name): \(reading.headline)")
        #expect(reading.recorded && reading.attempts == 1, "\(profile.name)")
        let records = recorder.reads.filter { $0.readID == reading.readID }
        #expect(records.count == 1, "\(profile.name)")
        switch mode {
        case .witnessed:
          // Chip Authentication is one more exchange with the inspector.
          #expect(reading.roundTrips == (document.offersChipAuthentication ? 3 : 2), "\(profile.name)")
          let report = try #require(reading.report)
          #expect(report.files.map(\.name).sorted() == local.files.map(\.name).sorted(), "\(profile.name)")
          #expect(report.accessControl.protocol == local.accessControl.protocol)
          #expect(report[.mrzMatchesKey]?.status == local[.mrzMatchesKey]?.status)
          #expect(report.omissions.map(\.name) == local.omissions.map(\.name), "\(profile.name)")
          #expect(report.transport.exchanges > 0)
        case .remote:
          // The desk has the verdict, and nothing of the document.
          #expect(reading.dump == nil && reading.reportJSON == nil)
          #expect(reading.headline == local.headline, "\(profile.name)")
          #expect(records.first?.report.checks.map(\.status) == local.checks.map(\.status), "\(profile.name)")
        }
      }
      await inspector.stop()
      await lab.stop()
    }
  }
}
