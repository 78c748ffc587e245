public import TesseraPassport

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

  static let nothing = MRZReading(state: .noText, outlines: [], zone: nil, scores: nil)

  /// The reading of a picture that is larger by a factor.
  func scaled(by factor: Float) -> MRZReading {
    MRZReading(state: state, outlines: outlines.map { $0.map { $0 * factor } }, zone: zone, scores: scores)
  }
}

/// A zone whose check digits are all right.
public struct RecognizedZone: Sendable, Equatable {
  /// As printed.
  public let lines: [String]
  /// The fields; nil for the French identity card of 1988 to 2021, whose format is not one of Doc 9303.
  public let zone: MachineReadableZone?

  /// `TD1`, `TD2`, `TD3`, `MRV-A`, `MRV-B`, or `FRENCH-ID`.
  public var format: String { zone?.format.rawValue ?? "FRENCH-ID" }
  /// The lines, separated by a line feed.
  public var text: String { lines.joined(separator: "\n") }

  init?(_ candidate: ZoneDecoder.Candidate) {
    lines = candidate.lines
    guard !candidate.layout.isFrenchIdentityCard else {
      zone = nil
      return
    }
    guard let zone = try? MachineReadableZone(printed: lines), zone.firstWrongCheckDigit == nil,
      (try? MRZInformation(zone)) != nil
    else { return nil }
    self.zone = zone
  }
}
