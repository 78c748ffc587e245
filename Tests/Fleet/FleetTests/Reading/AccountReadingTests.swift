import FleetLab
import TesseraNATS
import TesseraPassport
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  /// Reads through the accounts and permissions that Tessera configures.
  @Suite("Reading with the server's permissions", .enabled(if: LoadServers.isEnabled))
  struct AccountReadingTests {
    private static func connect(_ lab: AuthorityLab, _ name: String, _ seed: String) async throws -> NATSConnection {
      try await LoadServers.connect(name, seed: seed, at: ["nats://127.0.0.1:\(lab.port)"])
    }

    @Test("both ways of reading work with the permissions of desk and inspector", arguments: FleetReadingMode.allCases)
    func reading(_ mode: FleetReadingMode) async throws {
      let lab = try await AuthorityLab()
      let document = try LabDocument(try #require(ChipProfile(named: "canada-2023")))
      let recorder = LabRecorder()
      let inspectorConnection = try await Self.connect(lab, "i1", lab.folder.inspectorSeed("i1"))
      let inspector = try await LabInspector(inspectorConnection, trust: LabTrust(document.trust), recorder: recorder)
      let connection = try await Self.connect(lab, "d1", lab.folder.deskSeed("d1"))
      var limits = FleetLimits.patient
      // Files in parts, which nobody answers.
      limits.partSize = 5000
      let desk = FleetDesk(connection: connection, name: try #require(DeskName("d1")), limits: limits)
      let reading = try await desk.read(document.source, try LabDocument.request(), mode: mode)
      #expect(reading.outcome == .genuine, "\(reading.headline)")
      #expect(reading.attempts == 1)
      if mode == .witnessed { #expect(reading.roundTrips == 3) }
      #expect(recorder.reads.map(\.desk.text) == ["d1"])
      await inspector.stop()
      await connection.close()
    }

    @Test("a desk under another one's name is refused", arguments: FleetReadingMode.allCases)
    func otherName(_ mode: FleetReadingMode) async throws {
      let lab = try await AuthorityLab()
      let document = try LabDocument(.bac)
      let recorder = LabRecorder()
      let inspectorConnection = try await Self.connect(lab, "i1", lab.folder.inspectorSeed("i1"))
      let inspector = try await LabInspector(inspectorConnection, trust: LabTrust(document.trust), recorder: recorder)
      let connection = try await Self.connect(lab, "d1", lab.folder.deskSeed("d1"))
      var limits = FleetLimits.impatient
      limits.begin = .milliseconds(400)
      let desk = FleetDesk(connection: connection, name: try #require(DeskName("d2")), limits: limits)
      let error = await #expect(throws: NATSError.self) {
        try await desk.read(document.source, try LabDocument.request(), mode: mode)
      }
      guard case .notPermitted(let subject?)? = error else { throw NATSError.timeout }
      #expect(subject.contains(".d2.") || subject.hasPrefix("tessera.inbox."))
      await inspector.stop()
      // The clocks of this machine and of its server may differ by the beginning of a second.
      var figures = inspector.inspector.figures
      figures.clockDifference = nil
      #expect(figures == InspectorFigures())
      #expect(recorder.reads.isEmpty)
      await connection.close()
    }
  }
}
