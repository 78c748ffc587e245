import FleetLab
import Foundation
import TesseraCryptography
import TesseraPassport
import TesseraSmartCard
import TesseraThreads
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("Remote reading", .enabled(if: LoadServers.isEnabled))
  struct RemoteReadingTests {
    @Test(
      "EF.COM, EF.SOD, DG1 and DG2 take at most ten round trips with short commands",
      arguments: ["bac", "singapore-2023", "canada-2023", "new-zealand-2017"])
    func roundTrips(_ name: String) async throws {
      let lab = try await FleetLab.start()
      let recorder = LabRecorder()
      let document = try LabDocument(try #require(ChipProfile(named: name)))
      var configuration = InspectorConfiguration.patient
      configuration.dataGroups = [1, 2]
      configuration.chipAuthentication = .never
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: recorder, configuration)
      let desk = try await lab.desk("desk-1")
      var request = try LabDocument.request(dataGroups: [1, 2])
      request.maximumReadLength = 223
      let reading = try await desk.read(document.source, request, mode: .remote)
      #expect(reading.roundTrips <= 10, "\(name): \(reading.roundTrips)")
      let exchanges = try #require(recorder.reads.first).dump.statistics.exchanges
      #expect(exchanges >= 90, "\(exchanges)")
      await inspector.stop()
      await lab.stop()
    }

    @Test("a desk cannot have less read than the inspector wants", arguments: FleetReadingMode.allCases)
    func groupsOfTheInspector(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let recorder = LabRecorder()
      let document = try LabDocument(try #require(ChipProfile(named: "canada-2023")))
      let (all, some) = (try await lab.desk("desk-1"), try await lab.desk("desk-2"))
      var configuration = InspectorConfiguration.patient
      for groups in [nil, [1, 2]] as [Set<Int>?] {
        configuration.dataGroups = groups
        let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: recorder, configuration)
        var request = try LabDocument.request(dataGroups: [1])
        request.chipAuthentication = .never
        for desk in [all, some] {
          let reading = try await desk.read(document.source, request, mode: mode)
          #expect(reading.outcome == .genuine, "\(reading.headline)")
          let read = try #require(recorder.reads.last)
          #expect(read.dump[.dg2] != nil)
          #expect(read.report[.chipAuthentication]?.status == .passed)
        }
        await inspector.stop()
      }
      await lab.stop()
    }

    @Test("what passes between desk and inspector contains no data of the holder, and no secret of the inspector")
    func noPersonalData() async throws {
      let lab = try await FleetLab.start()
      let spy = try await lab.spy()
      let document = try LabDocument(try #require(ChipProfile(named: "united-kingdom-2021")))
      let recorder = LabRecorder()
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: recorder)
      let desk = try await lab.desk("desk-1")
      let request = InspectionRequest(key: .can(SecretBytes("264718".utf8)))
      let reading = try await desk.read(document.source, request, mode: .remote)
      #expect(reading.outcome == .genuine)
      let content = SpecimenDocument.content
      let payloads = try await spy.payloads()
      #expect(payloads.count >= 2 * reading.roundTrips)
      for secret in [content.documentNumber, content.primaryIdentifier, content.dateOfBirth] {
        for payload in payloads {
          #expect(!payload.contains(text: secret), "\(secret)")
        }
      }
      // The same search finds them where they are.
      let witnessed = try await desk.read(document.source, request, mode: .witnessed)
      #expect(witnessed.outcome == .genuine)
      let all = try await spy.payloads()
      for secret in [content.documentNumber, content.primaryIdentifier, content.dateOfBirth] {
        #expect(all.contains { $0.contains(text: secret) })
      }
      // The files are the desk's own. What belongs to the inspector stays with it in both ways.
      let keys = try recorder.reads.map { read in
        try #require(read.dump.evidence.chipAuthentication).readerPrivateKey.withUnsafeBytes { Array($0) }
      }
      #expect(keys.count == 2 && keys.allSatisfy { $0.count >= 28 } && keys[0] != keys[1])
      for secret in keys + [Array(hostName().utf8)] {
        #expect(!all.contains { $0.contains(secret: secret) })
      }
      await inspector.stop()
      await lab.stop()
    }

    @Test("batches are divided by the limits of either end, and the read is the same")
    func dividedBatches() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let recorder = LabRecorder()
      var configuration = InspectorConfiguration.patient
      configuration.limits.batchCount = 7
      let inspector = try await lab.inspector(
        trust: LabTrust(document.trust), recorder: recorder, configuration)
      var limits = FleetLimits.patient
      limits.batchSize = 400
      let (generous, narrow) = (try await lab.desk("desk-1"), try await lab.desk("desk-2", limits))
      let request = try LabDocument.request()
      let whole = try await generous.read(document.source, request, mode: .remote)
      let divided = try await narrow.read(document.source, request, mode: .remote)
      #expect([whole.outcome, divided.outcome] == [.genuine, .genuine])
      let exchanges = recorder.reads.map(\.dump.statistics.exchanges)
      #expect(exchanges.first == exchanges.last)
      // At most seven commands at once, and at most two responses of a full block.
      let count = try #require(exchanges.first)
      #expect(whole.roundTrips > count / 7)
      #expect(whole.roundTrips < count / 3)
      #expect(divided.roundTrips > count / 3)
      await inspector.stop()
      await lab.stop()
    }

    @Test("the inspector's configuration decides whether the desk sees the report")
    func visibleReport() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      var configuration = InspectorConfiguration.patient
      configuration.showsRemoteReports = true
      let inspector = try await lab.inspector(
        trust: LabTrust(document.trust), recorder: LabRecorder(), configuration)
      let reading = try await lab.desk("desk-1").read(document.source, try LabDocument.request(), mode: .remote)
      #expect(reading.report?.document.documentNumber == SpecimenDocument.content.documentNumber)
      await inspector.stop()
      await lab.stop()
    }

    @Test("a desk without a key reads with the inspector's")
    func inspectorsKey() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      var configuration = InspectorConfiguration.patient
      configuration.key = try LabDocument.key()
      let inspector = try await lab.inspector(
        trust: LabTrust(document.trust), recorder: LabRecorder(), configuration)
      let reading = try await lab.desk("desk-1").read(
        document.source, InspectionRequest(key: nil), mode: .remote)
      #expect(reading.outcome == .genuine)
      await inspector.stop()
      await lab.stop()
    }

    @Test("an inspector refuses a way of reading that it does not offer", arguments: FleetReadingMode.allCases)
    func refusedMode(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      var configuration = InspectorConfiguration.patient
      configuration.modes.remove(mode)
      let inspector = try await lab.inspector(
        trust: LabTrust(document.trust), recorder: LabRecorder(), configuration)
      let desk = try await lab.desk("desk-1")
      await #expect(throws: FleetError(.refused)) {
        try await desk.read(document.source, try LabDocument.request(), mode: mode)
      }
      await inspector.stop()
      await lab.stop()
    }

    @Test("a document that is removed and not replaced ends the read with the reader's error")
    func cardLoss() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: LabRecorder())
      let desk = try await lab.desk("desk-1")
      let source = document.source { FaultyChannel($0, fault: .disappearance, at: 40) }
      let error = await #expect(throws: FleetError.self) {
        try await desk.read(source, try LabDocument.request(), mode: .remote)
      }
      #expect(error == FleetError(CardError.cardRemoved))
      #expect(error?.failure.kind == .cardLost)
      await inspector.stop()
      await lab.stop()
    }

    @Test(
      "the desk sees each step of the inspector with its document before the verdict",
      arguments: ["china-2018", "bac"])
    func progress(_ name: String) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(try #require(ChipProfile(named: name)))
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: LabRecorder())
      let steps = Locked<[InspectionProgress]>([])
      _ = try await lab.desk("desk-1").read(
        document.source, try LabDocument.request(), mode: .remote,
        onProgress: { step in
          // The verdict may be there long before a slow program has had all steps.
          usleep(20_000)
          steps.withLock { $0.append(step) }
        })
      let seen = steps.withLock { $0 }
      #expect(seen.first == .connected)
      #expect(seen.contains(.accessGranted(.bac)))
      for file in [ElementaryFile.dg1, .sod, .com, .dg2] {
        #expect(
          seen.contains { if case .reading(file, let bytes, let total) = $0 { bytes >= total } else { false } },
          "\(file.name)")
      }
      await inspector.stop()
      await lab.stop()
    }
  }
}

/// The name of this machine, if it is long enough not to occur by chance.
private func hostName() -> String {
  let name = Base64Text.hostName
  return name.utf8.count >= 6 ? name : "no-name-of-a-machine"
}

extension [UInt8] {
  /// Whether a text is in these bytes, in plain or in a member in base64.
  fileprivate func contains(text: String) -> Bool { contains(secret: Array(text.utf8)) }

  /// Whether bytes are in these bytes, as they are or in a member in base64.
  fileprivate func contains(secret: [UInt8]) -> Bool {
    if contains(secret) { return true }
    return split(separator: UInt8(ascii: "\"")).contains { Base64Text.decoded($0)?.contains(secret) ?? false }
  }

  private func contains(_ needle: [UInt8]) -> Bool {
    guard count >= needle.count else { return false }
    return (0...(count - needle.count)).contains { self[$0..<($0 + needle.count)].elementsEqual(needle) }
  }
}
