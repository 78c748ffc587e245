internal import TesseraPictures

/// The search of a zone in a picture: chains become lines, and lines a zone; what looks most like one comes first.
struct ZoneSearch {
  private let picture: GrayPicture
  private let networks: ZoneNetworks
  /// The chains that were not examined yet.
  private var chains: [CharacterChain] = []
  /// How many of them stand beside a line, at the front.
  private var besides = 0
  /// How many of them may be examined.
  private var chainsLeft = 0
  private var lines: [CharacterLine] = []
  /// The most probable zone so far.
  private var best: (reading: MRZReading, isClear: Bool, likelihood: Float)?

  /// How many chains are examined: of pale ink, then of dark ink, if pale ink shows no clear zone.
  private static let stages: [(threshold: InkMap.Threshold, chains: Int)] = [(.pale, 36), (.dark, 12)]
  /// How many chains are examined in a picture of one size.
  static var mostChains: Int { stages.reduce(0) { $0 + $1.chains } }
  /// How many arrangements of lines are examined, so that a page full of lines takes no longer than others.
  static let mostGroups = 60
  /// How many chains are examined after a clear zone without right check digits: there may be another.
  private static let chainsAfterZone = 6
  /// How many chains beside a line come before all others.
  private static let mostBesides = 4

  init(_ picture: GrayPicture, _ networks: ZoneNetworks) {
    self.picture = picture
    self.networks = networks
  }

  mutating func reading(_ work: inout MRZReader.Work) -> MRZReading {
    let mostGroups = work.groups + Self.mostGroups
    var isText = false
    for stage in Self.stages where best?.isClear != true && !Task.isCancelled {
      let components = InkComponent.all(in: InkMap(picture, stage.threshold))
      chains = CharacterChain.all(
        of: components, width: picture.width, height: picture.height, pairs: &work.pairs)
      (besides, chainsLeft) = (0, stage.chains)
      isText = isText || !chains.isEmpty
      while !chains.isEmpty, chainsLeft > 0, work.groups < mostGroups, !Task.isCancelled {
        chainsLeft -= 1
        work.chains += 1
        if let reading = examineChain(&work) { return reading }
      }
    }
    if let best { return best.reading }
    let state: MRZReading.State = lines.contains { $0.last - $0.first >= 26 } ? .oneLine : isText ? .text : .noText
    return MRZReading(state: state, outlines: [], zone: nil, scores: nil)
  }

  /// Examines the first chain.
  ///
  /// - Returns: the zone, if the chain completes one with right check digits.
  private mutating func examineChain(_ work: inout MRZReader.Work) -> MRZReading? {
    let chain = chains.removeFirst()
    // The lines beside a line that stands beside another are this one's. So a pattern cannot hold all others up.
    let isBeside = besides > 0
    besides = max(0, besides - 1)
    guard let line = CharacterLine(chain, in: picture, networks.finder) else { return nil }
    if let index = lines.firstIndex(where: line.coincides) {
      guard line.score > lines[index].score else { return nil }
      lines.remove(at: index)
    }
    if !isBeside { promoteChains(beside: line) }
    for group in groups(of: line) {
      work.groups += 1
      guard let grid = ZoneGrid.of(group, in: picture, networks.finder) else { continue }
      let scores = grid.scores(picture, networks)
      let candidate = ZoneDecoder.best(scores)
      let reading = MRZReading(
        state: .zone, outlines: (0..<grid.rows).map(grid.outline), zone: candidate.flatMap(ZoneVote.zone),
        scores: scores)
      // Lines with right check digits are the zone, also if this picture does not decide on every character. The search
      // ends here: the other arrangements would cost more than the rest of the reading.
      if reading.zone != nil || candidate.map(ZoneVote.isProbable) == true { return reading }
      if grid.isClear { chainsLeft = min(chainsLeft, Self.chainsAfterZone) }
      let isBetter = best.map {
        grid.isClear == $0.isClear ? scores.likelihood > $0.likelihood : grid.isClear
      }
      if isBetter ?? true { best = (reading, grid.isClear, scores.likelihood) }
    }
    lines.append(line)
    return nil
  }

  /// Moves chains that stand where other lines of the zone of `line` would be to the front.
  private mutating func promoteChains(beside line: CharacterLine) {
    let indices = chains.indices.filter { line.isBeside(chains[$0]) }.prefix(Self.mostBesides)
    let front = indices.map { chains[$0] }
    for index in indices.reversed() { chains.remove(at: index) }
    chains.insert(contentsOf: front, at: 0)
    besides = front.count
  }

  /// The groups of lines that may be a zone, from the top, each with a new line; three lines before two.
  private func groups(of line: CharacterLine) -> [[CharacterLine]] {
    let direction = line.curve.direction(at: Float(line.first))
    let down = direction.turned / max(direction.length, 1e-3)
    func depth(_ line: CharacterLine) -> Float {
      let center = line.curve.center(at: Float(line.first + line.last) / 2)
      return center.x * down.x + center.y * down.y
    }
    // All lines of a zone have one direction, and three lines are about five characters high.
    let near = lines.filter { other in
      let turned = other.curve.direction(at: Float(other.first)).turned
      return down.x * turned.x + down.y * turned.y > 0 && abs(depth(other) - depth(line)) < 8 * direction.length
    }
    let above = near.filter { depth($0) < depth(line) }.sorted { depth($0) > depth($1) }.prefix(2)
    let below = near.filter { depth($0) >= depth(line) }.sorted { depth($0) < depth($1) }.prefix(2)
    let (up, under) = (Array(above), Array(below))
    var groups: [[CharacterLine]] = []
    if up.count == 2 { groups.append([up[1], up[0], line]) }
    if let upper = up.first, let lower = under.first { groups.append([upper, line, lower]) }
    if under.count == 2 { groups.append([line, under[0], under[1]]) }
    groups += up.map { [$0, line] }
    groups += under.map { [line, $0] }
    return groups
  }
}
