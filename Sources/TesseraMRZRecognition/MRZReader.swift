public import TesseraPictures

/// Finds and reads machine readable zones (Doc 9303-3 to 7, and the French identity card of 1988 to 2021) in pictures.
///
/// The zone may be turned by any angle and seen at a slant. Its characters must be 8 pixels apart or more.
public struct MRZReader: Sendable {
  private let network: CharacterNetwork?
  /// How many chains of characters are examined.
  static let mostChains = 40
  /// How many arrangements of lines are examined, so that a page full of lines takes no longer than others.
  static let mostGroups = 60
  /// The most pixels of a frame: 1920 x 1200.
  private static let frame = 2_304_000

  public init() { network = CharacterNetwork.standard }

  /// Reads a picture. A picture with more pixels than a camera's frame is read at smaller sizes first, where strokes are
  /// as thick as in a frame. Ends early if the task is cancelled.
  public func read(_ picture: GrayPicture) -> MRZReading {
    var work = Work()
    return read(picture, &work)
  }

  /// The steps of a reading whose number depends on the picture.
  struct Work {
    var chains = 0
    var groups = 0
  }

  /// - Parameter work: Counts the steps, at all sizes.
  func read(_ picture: GrayPicture, _ work: inout Work) -> MRZReading {
    var pictures = [picture]
    while let last = pictures.last, last.width * last.height > Self.frame, let half = last.halved() {
      pictures.append(half)
    }
    var best: MRZReading?
    for (scale, picture) in pictures.enumerated().reversed() {
      let reading = reading(picture, &work).scaled(by: Float(1 << scale))
      if reading.zone != nil { return reading }
      if best.map({ $0.state <= reading.state }) ?? true { best = reading }
    }
    return best ?? .nothing
  }

  private func reading(_ picture: GrayPicture, _ work: inout Work) -> MRZReading {
    guard let network else { return .nothing }
    let finder = network.first
    let components = InkComponent.all(in: InkMap(picture))
    let chains = CharacterChain.all(of: components, width: picture.width, height: picture.height)
    var lines: [CharacterLine] = []
    var best: (reading: MRZReading, likelihood: Float)?
    let groupsBefore = work.groups
    for chain in chains.prefix(Self.mostChains) {
      if Task.isCancelled || work.groups - groupsBefore >= Self.mostGroups { break }
      work.chains += 1
      guard let line = CharacterLine(chain, in: picture, finder), !lines.contains(where: line.coincides) else {
        continue
      }
      for group in Self.groups(of: line, with: lines) {
        work.groups += 1
        guard let grid = ZoneGrid.of(group, in: picture, finder) else { continue }
        let scores = grid.scores(picture, network)
        let candidate = ZoneDecoder.best(scores)
        let reading = MRZReading(
          state: .zone, outlines: (0..<grid.rows).map(grid.outline), zone: candidate.flatMap(ZoneVote.zone),
          scores: scores)
        // Lines with right check digits are the zone, also if this picture does not decide on every character. The search
        // ends here: the other arrangements would cost more than the rest of the reading.
        if reading.zone != nil || candidate.map(ZoneVote.isProbable) == true { return reading }
        if scores.likelihood > best?.likelihood ?? -.infinity { best = (reading, scores.likelihood) }
      }
      lines.append(line)
    }
    if let best { return best.reading }
    let state: MRZReading.State =
      lines.contains { $0.last - $0.first >= 26 } ? .oneLine : chains.isEmpty ? .noText : .text
    return MRZReading(state: state, outlines: [], zone: nil, scores: nil)
  }

  /// The groups of lines that may be a zone, from the top, each with a new line; three lines before two.
  private static func groups(of line: CharacterLine, with lines: [CharacterLine]) -> [[CharacterLine]] {
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
