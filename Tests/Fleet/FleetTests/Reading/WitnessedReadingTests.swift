import FleetLab
import TesseraPassport
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("Witnessed reading", .enabled(if: LoadServers.isEnabled))
  struct WitnessedReadingTests {
    @Test("long files are sent in parts, in as many round trips")
    func parts() async throws {
      let lab = try await FleetLab.start()
      let recorder = LabRecorder()
      let document = try LabDocument(.bac)
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: recorder)
      var limits = FleetLimits.patient
      limits.partSize = 1000
      let desk = try await lab.desk("desk-1", limits)
      let reading = try await desk.read(document.source, try LabDocument.request(), mode: .witnessed)
      let size = try #require(reading.dump).files.reduce(0) { $0 + $1.bytes.count }
      #expect(size > 10_000)
      #expect(reading.roundTrips == 2)
      #expect(reading.outcome == .genuine)
      #expect(recorder.reads.map(\.dump.files.count) == [reading.dump?.files.count])
      await inspector.stop()
      await lab.stop()
    }

    @Test("the desk's report is the inspector's, with the inspector's time and the version of its certificates")
    func report() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let inspector = try await lab.inspector(trust: LabTrust(document.trust, version: 7), recorder: LabRecorder())
      let desk = try await lab.desk("desk-1")
      let reading = try await desk.read(document.source, try LabDocument.request(), mode: .witnessed)
      #expect(reading.trustVersion == 7)
      let report = try #require(reading.report)
      #expect(report.headline == reading.headline)
      #expect(report.document.documentNumber == SpecimenDocument.content.documentNumber)
      #expect(report.readAt != nil)
      await inspector.stop()
      await lab.stop()
    }

    @Test("reads that fail at the desk do not count as reads under way")
    func abandoned() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      var configuration = InspectorConfiguration.patient
      configuration.limits.readsPerDesk = 1
      let inspector = try await lab.inspector(
        trust: LabTrust(document.trust), recorder: LabRecorder(), configuration)
      let desk = try await lab.desk("desk-1")
      let other = try MRZInformation(documentNumber: "OTHER1234", dateOfBirth: "700101", dateOfExpiry: "350630")
      for _ in 0..<3 {
        await #expect(throws: PassportError.self) {
          try await desk.read(document.source, InspectionRequest(key: .mrz(other)), mode: .witnessed)
        }
      }
      let reading = try await desk.read(document.source, try LabDocument.request(), mode: .witnessed)
      #expect(reading.outcome == .genuine)
      #expect(inspector.inspector.figures.reads["abandoned"] == 3)
      await inspector.stop()
      await lab.stop()
    }

    // MARK: - Records and certificates

    @Test("a spooled record is said to be not recorded yet")
    func spooled() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: LabRecorder(.spools))
      let reading = try await lab.desk("desk-1").read(document.source, try LabDocument.request(), mode: .witnessed)
      #expect(!reading.recorded)
      #expect(reading.outcome == .genuine)
      await inspector.stop()
      await lab.stop()
    }

    @Test("without a record there is no verdict", arguments: FleetReadingMode.allCases)
    func notRecorded(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: LabRecorder(.fails))
      let desk = try await lab.desk("desk-1", .impatient)
      await #expect(throws: FleetError(.notRecorded)) {
        try await desk.read(document.source, try LabDocument.request(), mode: mode)
      }
      await inspector.stop()
      await lab.stop()
    }

    @Test("the identifier of an earlier read is refused", arguments: FleetReadingMode.allCases)
    func usedIdentifier(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let recorder = LabRecorder()
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: recorder)
      let desk = try await lab.desk("desk-1")
      let request = try LabDocument.request()
      let reading = try await desk.read(document.source, request, mode: mode)
      await #expect(throws: FleetError(.readIDUsed)) {
        try await desk.read(document.source, request, mode: mode, readID: reading.readID)
      }
      #expect(recorder.reads.count == 1)
      await inspector.stop()
      await lab.stop()
    }

    @Test("without certificates there is no verdict, until there are some")
    func certificates() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let trust = LabTrust(nil)
      let inspector = try await lab.inspector(trust: trust, recorder: LabRecorder())
      let desk = try await lab.desk("desk-1", .impatient)
      await #expect(throws: FleetError(.trustUnavailable)) {
        try await desk.read(document.source, try LabDocument.request(), mode: .witnessed)
      }
      trust.use(document.trust)
      let reading = try await desk.read(document.source, try LabDocument.request(), mode: .witnessed)
      #expect(reading.outcome == .genuine)
      await inspector.stop()
      await lab.stop()
    }
  }
}
