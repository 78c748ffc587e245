/// Joins the readings of several pictures of one document: what each says of every character adds up.
public struct ZoneVote: Sendable {
  private var total: ZoneScores?

  /// The highest cost of corrections (`ZoneDecoder`).
  private static let highestCorrection: Float = 9
  /// The least margin: the logarithm of how much more probable the zone is than any other.
  private static let leastMargin: Float = 4
  /// Pictures of one document under one light share their defects, so each further one counts less than the first.
  private static let shareOfFurtherPictures: Float = 0.5
  /// The mean disagreement of a character, above which a picture shows another document.
  private static let largestDisagreement: Float = 1.5

  public init() {}

  /// Adds what a picture shows.
  ///
  /// - Returns: the zone, once the pictures are enough to be sure of every character.
  public mutating func add(_ reading: MRZReading) -> RecognizedZone? {
    guard let scores = reading.scores else { return nil }
    if let total, total.rows == scores.rows, total.columns == scores.columns,
      total.disagreement(with: scores) < Self.largestDisagreement
    {
      self.total = total.adding(scores, times: Self.shareOfFurtherPictures)
    } else {
      total = scores
    }
    return total.flatMap(Self.zone)
  }

  static func zone(_ scores: ZoneScores) -> RecognizedZone? { ZoneDecoder.best(scores).flatMap(zone) }

  static func zone(_ best: ZoneDecoder.Candidate) -> RecognizedZone? {
    guard best.correction <= highestCorrection, best.margin >= leastMargin else { return nil }
    return RecognizedZone(best)
  }

  /// The most probable zone whose check digits are right, sure or not, with its cost of corrections and its margin: for
  /// measurements of where the limits must be.
  package var candidate: (lines: [String], correction: Float, margin: Float)? {
    total.flatMap(ZoneDecoder.best).map { ($0.lines, $0.correction, $0.margin) }
  }
}
