import Foundation
import TesseraBarcodes
import TesseraBridge
import TesseraCamera
import TesseraCore
import TesseraMRZRecognition
import TesseraPictures
import TesseraSeals
import TesseraThreads
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraLinuxProviders

@Suite("A scan for a seal")
struct CameraSealScanTests {
  /// A scan of these pictures. libzxing reads unless the test does.
  private static func scan(
    _ pictures: ShownPictures, clock: any MonotonicClock = ContinuousClock(),
    barcodes: (@Sendable (GrayPicture) -> [Barcode])? = nil
  ) -> CameraSealScan {
    var scan = CameraSealScan()
    scan.parts.clock = clock
    scan.parts.open = { _ in pictures }
    if let barcodes {
      scan.parts.prepare = {}
      scan.parts.barcodes = { picture throws(BarcodeError) in barcodes(picture) }
    }
    return scan
  }

  @Test("reads the seal and the zone of one page, compares them, and closes the camera")
  func page() async throws {
    let pictures = ShownPictures(try SealsOfTests.page("seal-and-zone"))
    // The second without a zone never passes, however slow the machine is.
    let scanned = try await Self.scan(pictures, clock: ManualClock()).seal()
    #expect(scanned.seal.bytes == SealsOfTests.bytes && scanned.seal.content == .visibleDigitalSeal)
    #expect(scanned.seal.symbol?.format == "DataMatrix" && scanned.seal.symbol?.corners.count == 4)
    #expect(scanned.printed == PrintedZone(lines: SealsOfTests.lines, isCertain: true))
    let report = try scanned.report(trust: SealsOfTests.trust(), at: SealsOfTests.date)
    #expect(report.headline.hasPrefix("Genuine seal, by the certificates of UT; it equals the printed MRZ"))
    #expect(report.symbol == scanned.seal.symbol && pictures.isClosed)
    // Nothing of the seal is in what a log would have.
    #expect(!"\(scanned.seal)".contains("220") && String(reflecting: scanned.seal).contains("redacted"))
  }

  @Test("a slow reader of barcodes holds up neither the camera nor the reader of the zone")
  func slow() async throws {
    let pictures = ShownPictures(try SealsOfTests.page("seal-and-zone"))
    let zones = Locked(0)
    let hasReadZones = DispatchSemaphore(value: 0)
    let scan = Self.scan(pictures, clock: ManualClock()) { _ in
      hasReadZones.wait()
      hasReadZones.signal()
      return [SealsOfTests.barcode(SealsOfTests.bytes)]
    }
    let scanned = try await scan.seal { _, sight in
      guard sight.state == .zone else { return }
      let count = zones.withLock { zones in
        zones += 1
        return zones
      }
      if count == 3 { hasReadZones.signal() }
    }
    #expect(scanned.printed?.isCertain == true)
    #expect(zones.withLock { $0 } >= 3)
  }

  @Test("a document that is replaced between two frames accuses nobody")
  func swapped() async throws {
    // Each frame is another picture, and none shows the seal and the zone.
    let pictures = ShownPictures(try SealsOfTests.blank())
    let other = try SealsOfTests.page("seal-and-other-zone")
    let clock = ManualClock()
    let (zones, continuation) = AsyncStream.makeStream(of: Void.self)
    let scan = Self.scan(pictures, clock: clock) { picture in
      picture.width == other.width ? [] : [SealsOfTests.barcode(SealsOfTests.bytes)]
    }
    let task = Task {
      try await scan.seal { _, sight in
        guard sight.state == .seal else { return }
        pictures.show(other)
        // Those of the two lines.
        if sight.outlines.count == 2 { continuation.yield() }
      }
    }
    for await _ in zones { break }
    try await clock.advance(whenAwaited: SealSearch.patience)
    let scanned = try await task.value
    #expect(scanned.printed?.isCertain == false)
    let report = try scanned.report(trust: SealsOfTests.trust(), at: SealsOfTests.date)
    #expect(report.outcome == .notEstablished && report.comparison == .differs)
  }

  @Test("without libzxing, the camera is not opened")
  func missing() async throws {
    let opened = Locked(false)
    var scan = CameraSealScan()
    scan.parts.prepare = { throw BarcodeError.missingLibrary }
    scan.parts.open = { _ in
      opened.withLock { $0 = true }
      throw CameraError.none
    }
    let missing = scan
    await #expect(throws: BarcodeError.missingLibrary) { _ = try await missing.seal() }
    #expect(!opened.withLock { $0 })
  }

  @Test("a cancelled scan closes the camera")
  func cancelled() async throws {
    let pictures = ShownPictures(try SealsOfTests.blank())
    let (frames, continuation) = AsyncStream.makeStream(of: Void.self)
    let scan = Self.scan(pictures) { _ in [] }
    let task = Task { try await scan.seal { _, _ in continuation.yield() } }
    for await _ in frames { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // A machine that is too slow for the grace period closes it a little later.
    try await eventually { pictures.isClosed }
  }

  @Test("at the time limit, the failure names the barcode that the camera showed")
  func late() async throws {
    let pictures = ShownPictures(try SealsOfTests.page("boarding-pass"))
    var scan = Self.scan(pictures) { _ in [SealsOfTests.boardingPass] }
    let clock = ManualClock()
    scan.parts.clock = clock
    scan.timeout = .seconds(60)
    let (frames, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task { [scan] in
      try await scan.seal { _, sight in if sight.state == .otherBarcode { continuation.yield() } }
    }
    for await _ in frames { break }
    try await clock.advance(whenAwaited: .seconds(60))
    let failure = await #expect(throws: Failure.self) { try await task.value }
    #expect(failure?.cause == "The camera showed a boarding pass, which is not a seal of a travel document.")
    #expect(pictures.isClosed)
  }

  @Test("a camera that fails ends the scan with its cause")
  func unplugged() async throws {
    struct Unplugged: FrameSource {
      func nextNumberedFrame() async throws -> NumberedFrame { throw CameraError.disconnected(path: "/dev/video7") }
      func close() async {}
    }
    var scan = CameraSealScan()
    scan.parts.prepare = {}
    scan.parts.open = { _ in Unplugged() }
    let unplugged = scan
    await #expect(throws: CameraError.disconnected(path: "/dev/video7")) { _ = try await unplugged.seal() }
  }

  // MARK: - The provider

  /// Records what it was told to show.
  private final class Viewfinder: CameraViewfinding {
    private let shown = Locked<(begun: Int, ended: Int, outlines: Int)>((0, 0, 0))

    var state: (begun: Int, ended: Int, outlines: Int) { shown.withLock { $0 } }

    func begin(_ request: CameraMrzRequest, cancel: @escaping @Sendable () -> Void) async {
      shown.withLock { $0.begun += 1 }
    }
    func show(_ frame: GrayPicture, _ reading: MRZReading) {}
    func show(_ frame: GrayPicture, _ sight: SealSight) {
      shown.withLock { $0.outlines = max($0.outlines, sight.outlines.count) }
    }
    func end() async { shown.withLock { $0.ended += 1 } }
  }

  @Test("the provider returns the report, and the viewfinder shows the corners of the symbol and of both lines")
  func provider() async throws {
    let pictures = ShownPictures(try SealsOfTests.page("seal-and-zone"))
    let provider = V4L2CameraSealProvider(
      Self.scan(pictures, clock: ManualClock()), trust: .fixed(try SealsOfTests.trust()))
    let viewfinder = Viewfinder()
    let states = Locked<[SealDetectionState]>([])
    let report = try await CameraViewfinder.$current.withValue(viewfinder) {
      try await provider.scanSeal(CameraMrzRequest()) { state in states.withLock { $0.append(state) } }
    }
    #expect(report["kind"] == "vds" && report["comparison"] == "equalsZone")
    #expect(report["symbol"]?["format"] == "DataMatrix")
    #expect(report["reportPage"]?.stringValue?.contains("<h1>Report on a seal</h1>") == true)
    #expect(states.withLock { $0 }.last == .seal)
    let shown = viewfinder.state
    #expect(shown.begun == 1 && shown.ended == 1 && shown.outlines == 3)
  }

  @Test("errors of the camera are those of camera.scanMRZ")
  func errors() async throws {
    func error(_ error: CameraError) async -> (any Error)? {
      var scan = CameraSealScan()
      scan.parts.prepare = {}
      scan.parts.open = { _ in throw error }
      let provider = V4L2CameraSealProvider(scan, trust: .fixed(TrustMaterial()))
      return await #expect(throws: (any Error).self) {
        try await provider.scanSeal(CameraMrzRequest()) { _ in }
      }
    }
    let denied = CameraError.accessDenied(path: "/dev/video7")
    #expect(await error(denied) as? CameraMrzError == .permissionDenied(cause: Failure(denied)))
    #expect(await error(.none) as? CameraMrzError == .notConnected(cause: Failure(CameraError.none)))
    #expect((await error(.inUse(path: "/dev/video7")) as? BridgeError)?.code == "CAMERA_BUSY")
  }

  @Test("without libzxing, the provider reads no certificates")
  func order() async throws {
    struct Unreadable: Error {}
    var scan = CameraSealScan()
    scan.parts.prepare = { throw BarcodeError.missingLibrary }
    let loaded = Locked(false)
    let trust = TrustMaterialSource {
      loaded.withLock { $0 = true }
      throw Unreadable()
    }
    let missing = V4L2CameraSealProvider(scan, trust: trust)
    await #expect(throws: BarcodeError.missingLibrary) { try await missing.scanSeal(CameraMrzRequest()) { _ in } }
    #expect(!loaded.withLock { $0 })
    scan.parts.prepare = {}
    scan.parts.open = { _ in throw CameraError.none }
    let unreadable = V4L2CameraSealProvider(scan, trust: trust)
    await #expect(throws: Unreadable.self) { try await unreadable.scanSeal(CameraMrzRequest()) { _ in } }
  }

  @Test("is among the providers of Linux")
  func registered() {
    let registry = SdkProviderRegistry()
    LinuxProviders.register(in: registry)
    #expect(registry.providers.cameraSeal is V4L2CameraSealProvider)
  }
}
