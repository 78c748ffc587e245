import TesseraBarcodes
import TesseraBridge
import TesseraCamera
import TesseraCore
import TesseraMRZRecognition
import TesseraPictures
import TesseraSeals
import TesseraThreads
import TesseraVerification

/// What the frames of one scan have shown, and whether that is enough.
///
/// A seal is enough with the zone that was read with it, or without one after a second in which the zone was looked for.
actor SealSearch {
  /// A seal that was read.
  private struct Found {
    let seal: BarcodeSeal
    /// The first and the newest frame that showed it.
    var frames: ClosedRange<Int>
    /// Whether no frame showed another seal with it.
    var isAlone: Bool
  }

  /// A zone that the vote decided.
  private struct Decided {
    let zone: RecognizedZone
    /// The first and the newest frame with which it was decided, without one between them that left it open.
    var frames: ClosedRange<Int>
    /// Whether the newest frame is one of them.
    var isOpen = true
  }

  /// How long to look for the zone after the seal was read.
  static let patience = Duration.seconds(1)

  nonisolated let result = FirstResult<ScannedSeal>()
  private let clock: any MonotonicClock
  private let onFrame: @Sendable (GrayPicture, SealSight) -> Void

  private var found: Found?
  private var timer: Task<Void, Never>?
  private var hasWaited = false
  /// The newest results of the two readers.
  private var barcodes: [Barcode] = []
  private var reading: MRZReading?
  private var vote = ZoneVote()
  private var zone: Decided?
  private var lastReadForZone = 0

  /// What begins like a seal, but is damaged.
  private var damaged: BarcodeSeal?
  private var showedBeginning = false
  private var other: BarcodeContent?
  private var failed: BarcodeError?

  init(_ clock: any MonotonicClock, _ onFrame: @escaping @Sendable (GrayPicture, SealSight) -> Void) {
    self.clock = clock
    self.onFrame = onFrame
  }

  // MARK: - What the readers found

  /// - Throws: `BarcodeError.missingLibrary`.
  func add(_ read: Result<[Barcode], BarcodeError>, _ frame: NumberedFrame) throws {
    if case .failure(let error) = read {
      // Every frame would fail. After other errors, the next frame may be read.
      if error == .missingLibrary { throw error }
      failed = error
    }
    barcodes = (try? read.get()) ?? []
    let seals = barcodes.filter(\.content.isSeal).map { BarcodeSeal($0) }
    if var found {
      if seals.contains(where: { $0.bytes == found.seal.bytes }) { found.frames.extend(to: frame.number) }
      let others = seals.filter { $0.bytes != found.seal.bytes }
      if others.contains(where: { Self.condition($0) == .whole }) { found.isAlone = false }
      self.found = found
    } else if let seal = seals.first(where: { Self.condition($0) == .whole }) {
      let isAlone = !seals.contains { $0.bytes != seal.bytes && Self.condition($0) == .whole }
      found = Found(seal: seal, frames: frame.number...frame.number, isAlone: isAlone)
      timer = Task { [clock] in
        guard (try? await clock.sleep(for: Self.patience)) != nil else { return }
        waited()
      }
    } else {
      note(seals)
    }
    show(frame)
    endIfEnough()
  }

  func add(_ reading: MRZReading, _ frame: NumberedFrame) {
    self.reading = reading
    lastReadForZone = max(lastReadForZone, frame.number)
    if let decided = vote.add(reading) {
      if let zone, zone.isOpen, zone.zone == decided {
        self.zone?.frames.extend(to: frame.number)
      } else {
        zone = Decided(zone: decided, frames: frame.number...frame.number)
      }
    } else if reading.state == .zone {
      // Perhaps that of another document.
      zone = nil
    } else {
      zone?.isOpen = false
    }
    show(frame)
    endIfEnough()
  }

  private func waited() {
    hasWaited = true
    endIfEnough()
  }

  /// Keeps what a failure names.
  private func note(_ seals: [BarcodeSeal]) {
    for seal in seals {
      if Self.condition(seal) == .damaged { damaged = seal } else { showedBeginning = true }
    }
    let others = barcodes.map(\.content).filter { !$0.isSeal }
    if let named = others.first(where: { $0 != .unknown }) ?? others.first, named != .unknown || other == nil {
      other = named
    }
  }

  private enum Condition { case whole, damaged, none }

  private static func condition(_ seal: BarcodeSeal) -> Condition {
    guard let report = try? seal.report(trust: TrustMaterial()) else { return .none }
    // The report on what cannot be read as a seal has no content.
    return report.header.isEmpty ? .damaged : .whole
  }

  private func show(_ frame: NumberedFrame) {
    guard !result.isSettled else { return }
    let outlines = (reading?.outlines ?? []) + barcodes.map { $0.corners.map { Point(Float($0.x), Float($0.y)) } }
    let contents = barcodes.map(\.content)
    let state: SealDetectionState =
      found != nil ? .seal : !contents.isEmpty ? .otherBarcode : reading?.state == .zone ? .zone : .noBarcode
    let named = contents.first { !$0.isSeal && $0 != .unknown } ?? contents.first
    onFrame(frame.picture, SealSight(state, other: state == .otherBarcode ? named : nil, outlines: outlines))
  }

  // MARK: - The end

  private func endIfEnough() {
    guard let found else { return }
    // Which of several seals the zone belongs to is not known.
    let isEnough = !found.isAlone || isCertain || hasWaited && lastReadForZone >= found.frames.lowerBound
    guard isEnough else { return }
    timer?.cancel()
    result.settle(.success(scanned(found)))
  }

  private func scanned(_ found: Found) -> ScannedSeal {
    // A zone that was read before belongs to what lay there before, perhaps another document.
    var seal = found.seal
    seal.isAlone = found.isAlone
    guard found.isAlone, let zone, zone.frames.upperBound >= found.frames.lowerBound, zone.zone.zone != nil else {
      return ScannedSeal(seal, printed: nil)
    }
    return ScannedSeal(seal, printed: PrintedZone(lines: zone.zone.lines, isCertain: isCertain))
  }

  /// Whether a difference of the zone from the seal proves something. Doc 9303-13, appendix D, counts a printed zone that
  /// was read with certainty. So every character must be sure, which the vote decides. And the zone must be that of the
  /// document with the seal: a frame with the zone between two with the seal, or the other way round, excludes that the
  /// document was replaced in between. `ScannedSeal` excludes a second document in the same frame.
  private var isCertain: Bool {
    guard let found, let zone else { return false }
    return zone.frames.overlaps(found.frames)
  }

  /// The result of a scan that its time limit has ended.
  ///
  /// - Throws: `Failure`, `BarcodeError`.
  func atTimeLimit() throws -> ScannedSeal {
    if let found { return scanned(found) }
    // Its report says that it is damaged.
    if let damaged { return ScannedSeal(damaged, printed: nil) }
    if let other, other != .unknown || !showedBeginning { throw Self.absence(of: other) }
    if showedBeginning {
      throw Failure(
        .noSeal, "The camera showed a barcode that begins like a seal of a travel document and is none.",
        remedy: "Hold the seal of the document in front of the camera.")
    }
    if let failed { throw failed }
    throw Failure(
      .noSeal, "The camera showed no barcode in time.",
      remedy:
        "Hold the barcode flat and nearer to the camera, so that all of it and its white margin are in the picture.")
  }

  private static func absence(of other: BarcodeContent) -> Failure {
    Failure(.noSeal, "The camera showed \(other.name), which is not a seal of a travel document.")
  }
}

extension ClosedRange<Int> {
  fileprivate mutating func extend(to number: Int) { self = lowerBound...Swift.max(upperBound, number) }
}
