import TesseraBarcodes
import TesseraBridge
import TesseraCamera
import TesseraCore
import TesseraMRZRecognition
import TesseraPictures
import TesseraSeals
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraLinuxProviders

@Suite("What the frames of a scan for a seal are enough for")
struct CameraSealSearchTests {
  private static let seal = SealsOfTests.barcode(SealsOfTests.bytes)

  private struct Search {
    let clock = ManualClock()
    let search: SealSearch
    private let states = Locked<[SealDetectionState]>([])
    private let picture: GrayPicture

    init() throws {
      picture = try SealsOfTests.blank()
      search = SealSearch(clock) { [states] _, sight in states.withLock { $0.append(sight.state) } }
    }

    var seen: [SealDetectionState] { states.withLock { $0 } }
    var isEnough: Bool { search.result.isSettled }

    func show(_ barcodes: [Barcode], _ number: Int) async throws {
      try await search.add(.success(barcodes), NumberedFrame(number: number, picture: picture))
    }

    func show(_ reading: MRZReading, _ number: Int) async {
      await search.add(reading, NumberedFrame(number: number, picture: picture))
    }

    func pass() async throws { try await clock.advance(whenAwaited: SealSearch.patience) }

    func report() async throws -> SealReport {
      try await search.result.value.report(trust: SealsOfTests.trust(), at: SealsOfTests.date)
    }
  }

  private static func reading(_ page: String) throws -> MRZReading {
    let reading = MRZReader().read(try SealsOfTests.page(page))
    #expect(reading.zone != nil)
    return reading
  }

  private static func nothing() throws -> MRZReading { MRZReader().read(try SealsOfTests.blank()) }

  @Test("a seal and its zone in one frame are enough, whichever is read first")
  func both() async throws {
    let reading = try Self.reading("seal-and-zone")
    for isZoneFirst in [true, false] {
      let search = try Search()
      if isZoneFirst { await search.show(reading, 1) }
      try await search.show([Self.seal], 1)
      #expect(search.isEnough == isZoneFirst)
      if !isZoneFirst { await search.show(reading, 1) }
      let scanned = try await search.search.result.value
      #expect(scanned.printed == PrintedZone(lines: SealsOfTests.lines, isCertain: true))
      let report = try await search.report()
      #expect(report.outcome == .genuine && report.comparison == .equalsZone)
      #expect(search.seen.last == .seal)
    }
  }

  @Test("a seal alone is enough after a second, and not before the zone was looked for")
  func alone() async throws {
    let search = try Search()
    try await search.show([], 1)
    try await search.show([Self.seal], 2)
    // This frame is older than the seal.
    await search.show(try Self.nothing(), 1)
    try await search.pass()
    #expect(!search.isEnough)
    await search.show(try Self.nothing(), 3)
    let report = try await search.report()
    #expect(report.comparison == .notCompared && report.headline.contains("NOT COMPARED"))
    #expect(search.seen.prefix(2) == [.noBarcode, .seal])
  }

  @Test("a zone that differs is a proof only between two frames with the seal")
  func differs() async throws {
    let reading = try Self.reading("seal-and-other-zone")
    let proven = try Search()
    try await proven.show([Self.seal], 1)
    await proven.show(reading, 2)
    #expect(!proven.isEnough)
    try await proven.show([Self.seal], 3)
    #expect(try await proven.report().outcome == .notGenuine)

    // A slow reader of barcodes: the zone was read before and behind the only frame with the seal.
    let slow = try Search()
    await slow.show(reading, 1)
    await slow.show(reading, 9)
    try await slow.show([Self.seal], 5)
    #expect(try await slow.report().outcome == .notGenuine)

    // The user may have taken the document away.
    let open = try Search()
    try await open.show([Self.seal], 1)
    await open.show(reading, 2)
    try await open.show([], 3)
    try await open.pass()
    let report = try await open.report()
    #expect(report.outcome == .notEstablished && report.comparison == .differs)
  }

  @Test("the zone of a document that lay there before is not compared")
  func before() async throws {
    let search = try Search()
    await search.show(try Self.reading("seal-and-other-zone"), 1)
    await search.show(try Self.nothing(), 2)
    try await search.show([Self.seal], 3)
    try await search.pass()
    await search.show(try Self.nothing(), 4)
    #expect(try await search.report().comparison == .notCompared)
  }

  @Test("the zone of another kind of document proves nothing: it is beside the one with the seal")
  func otherKind() async throws {
    let search = try Search()
    let passport = try GrayPicture(decoding: Fixtures.file("Passport/MRZRecognitionTests", "specimen.jpg"))
    try await search.show([Self.seal], 1)
    await search.show(MRZReader().read(passport), 1)
    #expect(try await search.search.result.value.printed?.isCertain == true)
    let report = try await search.report()
    #expect(report.outcome == .notEstablished && report.comparison == .differs)
  }

  @Test("of several seals, none is compared with the zone")
  func several() async throws {
    let search = try Search()
    await search.show(try Self.reading("seal-and-zone"), 1)
    try await search.show([Self.seal, SealsOfTests.barcode(Array(SealsOfTests.bytes.dropLast()) + [0])], 1)
    #expect(try await search.search.result.value.printed == nil)
    let report = try await search.report()
    #expect(report.findings.map(\.id) == [.several] && report.comparison == .notCompared)
    #expect(report.json.text.contains("seal.several"))
    // One seal that was read twice is one.
    let alone = try Search()
    await alone.show(try Self.reading("seal-and-zone"), 1)
    try await alone.show([Self.seal, Self.seal], 1)
    #expect(try await alone.report().findings.isEmpty)
  }

  @Test("a frame that a late task hands over keeps its number, so the zone of a document before a swap is not compared")
  func lateFrame() async throws {
    let search = try Search()
    try await search.show([Self.seal], 2)
    try await search.show([Self.seal], 3)
    await search.show(try Self.reading("seal-and-other-zone"), 1)
    #expect(!search.isEnough)
    try await search.pass()
    await search.show(try Self.nothing(), 4)
    #expect(try await search.report().comparison == .notCompared)
  }

  @Test("what is no seal is named at the time limit, and does not end the scan")
  func others() async throws {
    let beginning = SealsOfTests.barcode([0xDC, 0x03, 1, 2])
    let unknown = SealsOfTests.barcode(Array("hello".utf8))
    for (barcodes, cause) in [
      ([SealsOfTests.boardingPass], "The camera showed a boarding pass, which is not a seal of a travel document."),
      (
        [unknown, SealsOfTests.boardingPass],
        "The camera showed a boarding pass, which is not a seal of a travel document."
      ),
      ([unknown], "The camera showed a barcode of an unknown kind, which is not a seal of a travel document."),
      ([beginning], "The camera showed a barcode that begins like a seal of a travel document and is none."),
      ([], "The camera showed no barcode in time."),
    ] {
      let search = try Search()
      try await search.show(barcodes, 1)
      try await search.show([], 2)
      #expect(!search.isEnough)
      #expect(search.seen == [barcodes.isEmpty ? .noBarcode : .otherBarcode, .noBarcode])
      let failure = await #expect(throws: Failure.self) { try await search.search.atTimeLimit() }
      #expect(failure?.kind == .noSeal && failure?.cause == cause)
      // The next barcode can be a seal.
      try await search.show([Self.seal] + barcodes, 3)
      #expect(search.seen.last == .seal)
      try await search.pass()
    }
    #expect(SealSight(.otherBarcode, other: .boardingPass).advice.contains("a boarding pass"))
  }

  @Test("a damaged seal does not end the scan, and has its report at the time limit")
  func damaged() async throws {
    let search = try Search()
    try await search.show([SealsOfTests.barcode(Array(SealsOfTests.bytes.prefix(40)))], 1)
    #expect(!search.isEnough && search.seen == [.otherBarcode])
    let report = try await search.search.atTimeLimit().report(trust: SealsOfTests.trust(), at: SealsOfTests.date)
    #expect(report[.format]?.status == .failed && report.outcome == .notEstablished)
  }

  @Test("after errors of libzxing the next frame is read; one without libzxing ends the scan")
  func errors() async throws {
    let search = try Search()
    let frame = NumberedFrame(number: 1, picture: try SealsOfTests.blank())
    for error in [BarcodeError.failed, .partOfSeveral] {
      try await search.search.add(.failure(error), frame)
      await #expect(throws: error) { try await search.search.atTimeLimit() }
    }
    await #expect(throws: BarcodeError.missingLibrary) {
      try await search.search.add(.failure(.missingLibrary), frame)
    }
    try await search.show([Self.seal], 2)
    #expect(try await search.search.atTimeLimit().printed == nil)
    try await search.pass()
  }
}
