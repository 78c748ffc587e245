import TesseraMRZRecognition

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
