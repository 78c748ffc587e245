import TesseraBarcodes
import TesseraCamera
import TesseraMRZRecognition
public import TesseraPictures
import TesseraThreads

/// Reads frames of a camera until they show a seal, and looks for the machine readable zone in the same frames.
///
/// Two threads read: one the symbols, the other one the zone. Each takes the newest frame when it is free, so that a slow
/// one holds up neither the other one nor the camera.
///
/// Frames exist in memory only. The program's memory of them is overwritten when they are released.
public struct CameraSealScan: Sendable {
  /// The node of the camera; nil for the first one that can be used.
  public var camera: String?
  /// How long to scan; nil for no limit.
  public var timeout: Duration?
  /// What reads, and from where.
  var parts = Parts()

  /// A scan with this camera, for this time.
  public init(camera: String? = nil, timeout: Duration? = nil) {
    self.camera = camera
    self.timeout = timeout
  }

  /// The parts of a scan that a test replaces.
  struct Parts: Sendable {
    var prepare: @Sendable () throws -> Void = { try BarcodeReader.prepare() }
    var open: @Sendable (_ camera: String?) async throws -> any FrameSource = { try await CameraCapture.open(path: $0) }
    var barcodes: @Sendable (GrayPicture) throws(BarcodeError) -> [Barcode] = { picture throws(BarcodeError) in
      try BarcodeReader(.frame).read(picture)
    }
    var clock: any MonotonicClock = ContinuousClock()
  }

  /// Scans. Cancelling the task ends the scan and closes the camera.
  ///
  /// The scan ends when a seal and the zone are read, or a second after the seal without a zone. What only begins like a
  /// seal does not end it.
  ///
  /// - Parameter onFrame: receives each frame that was read, and what was seen so far. One call at a time.
  /// - Throws: `BarcodeError.missingLibrary` without libzxing, before the camera is opened; `CameraError` if there is no
  ///   usable camera or it fails; `Failure` of the kind `noSeal` if the camera shows no seal in time;
  ///   `CancellationError`.
  public func seal(
    onFrame: @escaping @Sendable (GrayPicture, SealSight) -> Void = { _, _ in }
  ) async throws -> ScannedSeal {
    let search = SealSearch(parts.clock, onFrame)
    return try await withScanLimit(
      timeout, clock: parts.clock, scan: { try await scan(search) }, late: { try await search.atTimeLimit() })
  }

  private func scan(_ search: SealSearch) async throws -> ScannedSeal {
    try await BlockingWork(name: "libzxing").run(parts.prepare)
    let frames = try await parts.open(camera)
    let readers = [
      Self.reading(search) { try await readBarcodes(frames, search) },
      Self.reading(search) { try await readZone(frames, search) },
    ]
    let result: Result<ScannedSeal, any Error>
    do {
      result = .success(
        try await withTaskCancellationHandler {
          try await search.result.value
        } onCancel: {
          search.result.settle(.failure(CancellationError()))
        })
    } catch {
      result = .failure(error)
    }
    // Not awaited: a reader that is in the middle of a frame ends with it.
    for reader in readers { reader.cancel() }
    await frames.close()
    return try result.get()
  }

  private static func reading(
    _ search: SealSearch, _ body: @escaping @Sendable () async throws -> Void
  ) -> Task<Void, Never> {
    Task {
      do {
        try await body()
      } catch {
        search.result.settle(.failure(error))
      }
    }
  }

  private func readBarcodes(_ frames: any FrameSource, _ search: SealSearch) async throws {
    let work = BlockingWork(name: "barcode-reader")
    while !search.result.isSettled {
      let frame = try await frames.nextNumberedFrame()
      let barcodes = try await work.run { [read = parts.barcodes] in
        Result { () throws(BarcodeError) in try read(frame.picture) }
      }
      try await search.add(barcodes, frame)
    }
  }

  private func readZone(_ frames: any FrameSource, _ search: SealSearch) async throws {
    let work = BlockingWork(name: "mrz-reader")
    let reader = MRZReader()
    while !search.result.isSettled {
      let frame = try await frames.nextNumberedFrame()
      await search.add(try await work.run { reader.read(frame.picture) }, frame)
    }
  }
}
