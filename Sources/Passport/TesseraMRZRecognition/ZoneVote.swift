import Glibc

/// Joins the readings of several pictures of one document: what each says of every character adds up.
public struct ZoneVote: Sendable {
  /// The sum over the pictures.
  private var sum: ZoneScores?
  private var count: Float = 0

  /// The highest cost of corrections (`ZoneDecoder`).
  private static let highestCorrection: Float = 9
  /// What the picture alone must say for a zone: the rules of issuers complete it, and never decide for it.
  private static let leastPictureMargin: Float = 2.5
  /// The least margin: the logarithm of how much more probable the zone is than any other.
  private static let leastMargin = NumberPrior.range + leastPictureMargin
  /// The least margin of a character that no check digit covers, such as a letter of the name.
  private static let leastUncheckedMargin = leastMargin
  /// Pictures of one document under one light share their defects, so each further one is worth less than the first, and
  /// all together at most as much as some.
  private static let worthOfFurtherPictures: Float = 0.25
  private static let mostWorth: Float = 1.8
  /// The mean disagreement of a character, and the disagreement of one character, above which a picture shows another
  /// document.
  private static let largestDisagreement: Float = 1.5
  private static let contradiction: Float = 8

  private static let mostCandidates = 8

  public init() {}

  /// Adds what a picture shows.
  ///
  /// - Returns: the zone, once the pictures are enough to be sure of every character.
  public mutating func add(_ reading: MRZReading) -> RecognizedZone? {
    guard let scores = reading.scores else { return nil }
    if let sum, shows(scores, sum.scaled(by: 1 / count)) {
      self.sum = sum.added(to: scores)
      count += 1
    } else {
      (sum, count) = (scores, 1)
    }
    return evidence.flatMap(Self.zone)
  }

  /// The zones that the pictures permit, the most probable one first, at most eight: for a picture that does not decide.
  /// Empty if they show none with right check digits.
  public var candidates: [MRZCandidate] { evidence.map(Self.candidates) ?? [] }

  /// Whether a picture shows the document of the pictures before it.
  private func shows(_ scores: ZoneScores, _ mean: ZoneScores) -> Bool {
    mean.rows == scores.rows && mean.columns == scores.columns
      && mean.disagreement(with: scores) < Self.largestDisagreement && !mean.contradicts(scores, by: Self.contradiction)
  }

  /// The mean of the pictures, times what they are worth together.
  private var evidence: ZoneScores? {
    let worth = min(1 + Self.worthOfFurtherPictures * (count - 1), Self.mostWorth)
    return sum?.scaled(by: worth / count)
  }

  static func candidates(_ scores: ZoneScores) -> [MRZCandidate] {
    var zones: [(zone: RecognizedZone, cost: Float)] = []
    for reading in ZoneDecoder.best(scores)?.readings ?? []
    where zones.count < mostCandidates && reading.cost.isFinite && reading.cost < leastMargin
      && reading.deviation <= highestCorrection
    {
      guard let zone = RecognizedZone(reading.lines, reading.layout), !zones.contains(where: { $0.zone == zone }) else {
        continue
      }
      zones.append((zone, reading.cost))
    }
    let least = zones.first?.cost ?? 0
    let weights = zones.map { exp(Double(least - $0.cost)) }
    let sum = weights.reduce(0, +)
    return zip(zones, weights).map { MRZCandidate(zone: $0.zone, weight: $1 / sum) }
  }

  static func zone(_ scores: ZoneScores) -> RecognizedZone? { ZoneDecoder.best(scores).flatMap(zone) }

  /// Whether the picture shows this zone, apart from characters that it leaves open.
  static func isProbable(_ candidate: ZoneDecoder.Candidate) -> Bool { candidate.correction <= highestCorrection }

  static func zone(_ best: ZoneDecoder.Candidate) -> RecognizedZone? {
    guard best.correction <= highestCorrection, best.margin >= leastMargin,
      best.uncheckedMargin >= leastUncheckedMargin
    else { return nil }
    return RecognizedZone(best)
  }

  /// The most probable zone whose check digits are right, sure or not, with its cost of corrections and its margins: for
  /// measurements of where the limits must be.
  package var candidate: (lines: [String], correction: Float, margin: Float, uncheckedMargin: Float)? {
    evidence.flatMap(ZoneDecoder.best).map { ($0.lines, $0.correction, $0.margin, $0.uncheckedMargin) }
  }
}

/// One zone that the pictures permit, with right check digits. A weight of 1 says that it is the only one of these, not that
/// the pictures are enough to be sure of it: then `ZoneVote.add` gives it.
public struct MRZCandidate: Sendable, Equatable {
  public let zone: RecognizedZone
  /// The share of the probability that this zone has among the candidates, 0 to 1.
  public let weight: Double
}

/// What a picture shows of a machine readable zone.
public struct MRZReading: Sendable {
  /// How much of a zone there is.
  public enum State: Int, Sendable, Comparable {
    case noText, text, oneLine, zone

    public static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }

    /// What the user should do next, in English.
    public var advice: String {
      switch self {
      case .noText: "Hold the document's page in front of the camera ..."
      case .text: "Move the lines with \"<\" into the picture ..."
      case .oneLine: "One line found: move all lines into the picture ..."
      case .zone: "Zone found: hold the document still ..."
      }
    }
  }

  public let state: State
  /// The four corners of each line that was found, clockwise from the top left in the direction of reading.
  public let outlines: [[Point]]
  /// The zone, if the picture alone is enough to be sure of every character and all check digits are right.
  public let zone: RecognizedZone?

  let scores: ZoneScores?

  /// The zones that this picture alone permits, the most probable one first, at most eight. Empty if it shows none with
  /// right check digits.
  public var candidates: [MRZCandidate] { scores.map(ZoneVote.candidates) ?? [] }

  static let nothing = MRZReading(state: .noText, outlines: [], zone: nil, scores: nil)

  /// The reading of a picture that is larger by a factor.
  func scaled(by factor: Float) -> MRZReading {
    MRZReading(state: state, outlines: outlines.map { $0.map { $0 * factor } }, zone: zone, scores: scores)
  }
}
