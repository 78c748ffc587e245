import Synchronization
import TesseraInspection
import TestSupport
import Testing

@Suite("The read and the verdict in one call")
struct InspectTests {
  private let specimen: SpecimenDocument
  private let source: CardSource

  init() throws {
    specimen = try SpecimenDocument()
    source = .virtual(.bac, specimen.files)
  }

  private func request(number: String = "TS0264718") throws -> InspectionRequest {
    InspectionRequest(
      key: .mrz(try MRZInformation(documentNumber: number, dateOfBirth: "900214", dateOfExpiry: "350630")))
  }

  @Test("a specimen is genuine by what its test country publishes, if the caller says that this proves anything")
  func trust() async throws {
    let document = try await source.inspect(request(), trust: specimen.trust)
    #expect(document.report.outcome == .genuine)
    #expect(document.report.headline == "Genuine, by the test country of Tessera.")
    #expect(try document.dump.zone().primaryIdentifier == "SPECIMEN")
    #expect(document.dump.portrait != nil)

    let cautious = try await source.inspect(request(), trust: TrustMaterial(testCountry: specimen.country))
    #expect(cautious.report.outcome == .notEstablished && cautious.report.outcomeReason == .publicKeys)

    let empty = try TrustStore(folder: TemporaryFolder().url.path + "/trust").load()
    let unknown = try await source.inspect(request(), trust: empty)
    #expect(unknown.report.outcome == .notEstablished && unknown.report.outcomeReason == .noCountryCertificates)
  }

  @Test("reports each step, and that it waits")
  func progress() async throws {
    let steps = Mutex<[InspectionProgress]>([])
    let waits = Mutex(0)
    let (chip, files) = (source, specimen.files)
    // A reader without a card yet.
    let late = CardSource { onWaiting in
      onWaiting()
      return VirtualCard.card(try Chip(profile: .bac, files: files))
    }
    for each in [chip, late] {
      _ = try await each.inspect(request(), trust: specimen.trust) {
        waits.withLock { $0 += 1 }
      } onProgress: { step in
        steps.withLock { $0.append(step) }
      }
    }
    #expect(waits.withLock { $0 } == 1)
    #expect(steps.withLock { $0 }.count { $0 == .accessGranted(.bac) } == 2)
    #expect(steps.withLock { $0 }.count { $0 == .finished } == 2)
  }

  @Test("throws what the read throws")
  func wrongKey() async throws {
    await #expect(throws: PassportError.self) {
      try await source.inspect(request(number: "TS0264719"), trust: specimen.trust)
    }
  }
}
