/// The run of PACE in one read.
public struct PACERun: Sendable, Equatable {
  public let pace: PACEProtocol
  /// The number of the domain parameters; nil if the chip offers explicit parameters without a number.
  public let parameterIdentifier: Int?
  /// Why this offer of the chip was chosen: one sentence or more.
  public let reason: String

  package init(pace: PACEProtocol, parameterIdentifier: Int?, reason: String) {
    self.pace = pace
    self.parameterIdentifier = parameterIdentifier
    self.reason = reason
  }
}
