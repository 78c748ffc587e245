/// One zone that the pictures permit, with right check digits. A weight of 1 says that it is the only one of these, not that
/// the pictures are enough to be sure of it: then `ZoneVote.add` gives it.
public struct MRZCandidate: Sendable, Equatable {
  public let zone: RecognizedZone
  /// The share of the probability that this zone has among the candidates, 0 to 1.
  public let weight: Double
}
