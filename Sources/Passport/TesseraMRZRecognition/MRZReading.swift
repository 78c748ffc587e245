/// What a picture shows of a machine readable zone.
public struct MRZReading: Sendable {
  /// How much of a zone there is.
  public enum State: Int, Sendable, Comparable {
    case noText, text, oneLine, zone

    public static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }

    /// What the person should do next, in English.
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
