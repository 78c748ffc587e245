public import TesseraCore
public import TesseraMRZRecognition

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

extension UndecidedZone: FailureConvertible {
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
