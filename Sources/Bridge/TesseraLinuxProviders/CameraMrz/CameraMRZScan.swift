import TesseraCamera
public import TesseraCore
public import TesseraMRZRecognition
public import TesseraPictures
import TesseraThreads

/// Reads frames of a camera until they show a machine readable zone beyond doubt.
///
/// Frames exist in memory only. The program's memory of them is overwritten when they are released.
public struct CameraMRZScan: Sendable {
  /// The node of the camera; nil for the first one that can be used.
  public var camera: String?
  /// How long to scan; nil for no limit.
  public var timeout: Duration?
  /// Whether a doubt that frame after frame leaves ends the scan before its timeout.
  public var endsInDoubt: Bool

  public init(camera: String? = nil, timeout: Duration? = nil, endsInDoubt: Bool = false) {
    self.camera = camera
    self.timeout = timeout
    self.endsInDoubt = endsInDoubt
  }

  /// What the frames showed.
  private struct Sight {
    var best = MRZReading.State.noText
    var vote = ZoneVote()
  }

  /// Scans. Cancelling the task ends the scan and closes the camera.
  ///
  /// - Parameter onFrame: Receives each frame that was read, and what it shows, before the next one is read.
  /// - Throws: `CameraError` if there is no usable camera or it fails; `UndecidedZone` if the frames leave characters
  ///   open; `Failure` of the kind `noZone` if they show no zone in time; `CancellationError`.
  public func zone(
    onFrame: @escaping @Sendable (GrayPicture, MRZReading) -> Void = { _, _ in }
  ) async throws -> RecognizedZone {
    let sight = Locked(Sight())
    return try await withScanLimit(
      timeout, scan: { try await scan(sight, onFrame: onFrame) }, late: { throw Self.failure(sight) })
  }

  private func scan(
    _ sight: Locked<Sight>, onFrame: (GrayPicture, MRZReading) -> Void
  ) async throws -> RecognizedZone {
    let reader = MRZReader()
    let work = BlockingWork(name: "mrz-reader")
    let capture = try await CameraCapture.open(path: camera)
    do {
      var doubt = SteadyDoubt()
      while true {
        try Task.checkCancellation()
        let frame = try await capture.nextFrame()
        let reading = try await work.run { reader.read(frame) }
        let zone = sight.withLock { sight in
          sight.best = max(sight.best, reading.state)
          return sight.vote.add(reading)
        }
        onFrame(frame, reading)
        if let zone {
          await capture.close()
          return zone
        }
        if endsInDoubt, reading.state == .zone, doubt.add(sight.withLock { $0.vote }) { throw Self.failure(sight) }
      }
    } catch {
      await capture.close()
      throw error
    }
  }

  private static func failure(_ sight: Locked<Sight>) -> any Error {
    let sight = sight.withLock { $0 }
    // What the last frames leave open says more than how much of a zone there was.
    if let undecided = UndecidedZone(sight.vote.candidates) { return undecided }
    return failure(sight.best)
  }

  private static func failure(_ state: MRZReading.State) -> Failure {
    switch state {
    case .noText, .text:
      Failure(
        .noZone, "The camera showed no machine readable zone in time.",
        remedy: "Hold the page with the two or three lines of letters and \"<\" flat in front of the camera.")
    case .oneLine:
      Failure(
        .noZone, "The camera showed only one line of the machine readable zone.",
        remedy: "Move the document so that all of its lines are in the picture.")
    case .zone:
      Failure(
        .noZone,
        "The camera showed a machine readable zone, but no frame was clear enough to be sure of every character.",
        remedy: "Bring the document nearer, hold it still, and avoid reflections; or type the zone.")
    }
  }
}

/// Tells when further frames will not settle a doubt: frame after frame permits the same zones.
struct SteadyDoubt {
  /// How many frames with a zone lie between two comparisons.
  private static let interval = 8
  /// How many comparisons in a row must find the same zones.
  private static let most = 6
  /// Zones with a smaller share of the probability come and go with the noise.
  private static let leastWeight = 0.05

  private var frames = 0
  private var equal = 0
  private var last: Set<[String]> = []

  /// Adds a frame that shows a zone.
  ///
  /// - Parameter vote: the vote with that frame.
  /// - Returns: whether the doubt is steady.
  mutating func add(_ vote: ZoneVote) -> Bool {
    frames += 1
    guard frames % Self.interval == 0 else { return false }
    let zones = Set(vote.candidates.filter { $0.weight >= Self.leastWeight }.map(\.zone.lines))
    equal = !zones.isEmpty && zones == last ? equal + 1 : 0
    last = zones
    return equal >= Self.most
  }
}

/// Pictures show a zone and leave some of its characters open.
public struct UndecidedZone: Error, Sendable {
  /// What the zone may be, the most probable one first; never empty.
  public let candidates: [MRZCandidate]
  /// The fields in which they differ; empty if there is only one candidate, which is not sure.
  public let doubts: [MRZDoubt]

  /// - Returns: nil without candidates.
  public init?(_ candidates: [MRZCandidate]) {
    guard !candidates.isEmpty else { return nil }
    self.candidates = candidates
    doubts = MRZDoubt.doubts(of: candidates)
  }
}

extension UndecidedZone: LocalizedFailure {
  /// Names the fields, but not what they may be: errors have no personal data.
  public var failure: Failure {
    let fields = doubts.map(\.field.rawValue).joined(separator: ", ")
    return Failure(
      .noZone,
      "The camera showed a machine readable zone, but no frame was clear enough to be sure of every character"
        + (fields.isEmpty ? "." : ": \(fields)."),
      remedy: "Bring the document nearer, hold it still, and avoid reflections; or type the zone.")
  }
}
