/// One row of the page: a piece of work, what other programs need for it, and what this run measured.
package struct BenchmarkRow: Sendable, Equatable {
  package let work: String
  package let unit: BenchmarkUnit
  package let peers: [PeerFigure]
  /// The lower bound, measured or counted in the same run.
  package let floor: Double?
  /// What the floor is, for example "OpenSSL alone".
  package let floorName: String?
  /// Nil if this run did not measure the row.
  package let ours: Double?

  package init(
    _ work: String, _ unit: BenchmarkUnit, peers: [PeerFigure] = [], floor: Double? = nil, floorName: String? = nil,
    ours: Double? = nil
  ) {
    self.work = work
    self.unit = unit
    self.peers = peers
    self.floor = floor
    self.floorName = floorName
    self.ours = ours
  }
}

/// What another program needed, as it was recorded: a number or a range, without digits that nobody measured.
package struct PeerFigure: Sendable, Equatable {
  package let name: String
  package let figure: String

  package init(_ name: String, _ figure: String) {
    self.name = name
    self.figure = figure
  }
}
