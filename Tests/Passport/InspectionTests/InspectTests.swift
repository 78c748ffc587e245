import Foundation
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
      _ = try await each.inspect(request(), trust: specimen.trust) { step in
        steps.withLock { $0.append(step) }
      } onWaiting: {
        waits.withLock { $0 += 1 }
      }
    }
    #expect(waits.withLock { $0 } == 1)
    #expect(steps.withLock { $0 }.count { $0 == .accessGranted(.bac) } == 2)
    #expect(steps.withLock { $0 }.count { $0 == .finished } == 2)
  }

  @Test("a virtual chip accepts the files of another profile, and refuses those without a key for access control")
  func otherFiles() async throws {
    let pace = try #require(ChipProfile(named: "germany-2023"))
    let document = try await CardSource.virtual(pace, specimen.files).inspect(request(), trust: specimen.trust)
    #expect(document.report.document.surname == "SPECIMEN" && document.report.document.givenNames == "TESSA MARIA")
    await #expect(throws: ChipFilesError.noKey) {
      try await CardSource.virtual(.bac, ChipFiles([:])).inspect(request(), trust: specimen.trust)
    }
  }

  @Test("throws what the read throws")
  func wrongKey() async throws {
    await #expect(throws: PassportError.self) {
      try await source.inspect(request(number: "TS0264719"), trust: specimen.trust)
    }
  }

  @Test("the dump of a specimen names its profile when it is saved, and is genuine by the certificates of a later run")
  func saved() async throws {
    let folder = try TemporaryFolder()
    let document = try await source.inspect(request(), trust: specimen.trust)
    #expect(document.dump.virtualProfile == "bac")
    let path = folder.file("dump.tessera")
    try document.save(to: path)
    let saved = try SavedDump.load(path: path)
    #expect(saved.virtualProfile == "bac" && saved.dump.virtualProfile == "bac")
    #expect(try saved.report(trust: SpecimenDocument().trust).outcome == .genuine)
    // The same again from what was loaded.
    try SavedDump(saved.dump, report: nil).write(to: folder.file("copy"))
    #expect(try SavedDump.load(path: folder.file("copy")).virtualProfile == "bac")
  }

  @Test(
    "names the profile of each chip of the test country, and none for files of another origin",
    arguments: [true, false])
  func origin(_ isOfTestCountry: Bool) async throws {
    let profile = try #require(ChipProfile(named: "germany-2023"))
    let issued = try SpecimenDocument(profile: profile)
    var copy = ChipFiles([:])
    for file in issued.files.all { copy[file] = issued.files[file] }
    let files = isOfTestCountry ? issued.files : copy
    let request = InspectionRequest(key: try AccessKey(cardAccessNumber: ChipProfile.specimenCardAccessNumber))
    let document = try await CardSource.virtual(profile, files).inspect(request, trust: issued.trust)
    #expect(document.dump.virtualProfile == (isOfTestCountry ? "germany-2023" : nil))
    let folder = try TemporaryFolder()
    try SavedDump(document.dump, report: document.report).write(to: folder.file("dump"))
    #expect(try SavedDump.load(path: folder.file("dump")).virtualProfile == document.dump.virtualProfile)
  }

  @Test(
    "Foundation has the sentences of the errors",
    arguments: [
      CardError.noReader, CardError.noCard(seconds: 20), PassportError.accessKeyRequired,
      PassportError.pace(.wrongToken), PACEError.wrongToken, MRZError.wrongLength(lines: [1]),
      TrustError.listDamaged("list"), DumpError.notADump("dump"), CryptographyError.wrongSecret, ChipFilesError.noKey,
    ] as [any FailureConvertible])
  func sentences(_ error: any FailureConvertible) {
    let failure = Failure(error)
    let thrown: any Error = error
    #expect(thrown.localizedDescription == failure.cause && "\(thrown)" == failure.cause)
    #expect((thrown as? any LocalizedError)?.recoverySuggestion == failure.remedy)
    #expect((failure as any Error).localizedDescription == "\(failure)")
  }
}
