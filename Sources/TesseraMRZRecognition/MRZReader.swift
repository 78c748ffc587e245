public import TesseraPictures

/// Finds and reads machine readable zones (Doc 9303-3 to 7, and the French identity card of 1988 to 2021) in pictures.
///
/// The zone may be turned by any angle and seen at a slant. Its characters must be 8 pixels apart or more.
public struct MRZReader: Sendable {
  private let network: CharacterNetwork?
  /// How many chains of characters are examined.
  private static let mostChains = 24
  /// The most pixels of a frame: 1920 x 1200.
  private static let frame = 2_304_000

  public init() { network = CharacterNetwork.standard }

  /// Reads a picture. A picture with more pixels than a camera's frame is read at smaller sizes first, where strokes are
  /// as thick as in a frame.
  public func read(_ picture: GrayPicture) -> MRZReading {
    var pictures = [picture]
    while let last = pictures.last, last.width * last.height > Self.frame, let half = last.halved() {
      pictures.append(half)
    }
    var best: MRZReading?
    for (scale, picture) in pictures.enumerated().reversed() {
      let reading = reading(picture).scaled(by: Float(1 << scale))
      if reading.zone != nil { return reading }
      if best.map({ $0.state <= reading.state }) ?? true { best = reading }
    }
    return best ?? .nothing
  }

  private func reading(_ picture: GrayPicture) -> MRZReading {
    guard let network else { return .nothing }
    let components = InkComponent.all(in: InkMap(picture))
    let chains = CharacterChain.all(of: components, width: picture.width, height: picture.height)
    var lines: [CharacterLine] = []
    for chain in chains.prefix(Self.mostChains) {
      guard let line = CharacterLine(chain, in: picture, network), !lines.contains(where: line.coincides) else {
        continue
      }
      lines.append(line)
    }
    for group in Self.groups(lines) {
      guard let grid = ZoneGrid(group, in: picture, network), let scores = grid.scores(picture, network) else {
        continue
      }
      return MRZReading(
        state: .zone, outlines: (0..<grid.rows).map(grid.outline), zone: ZoneVote.zone(scores), scores: scores)
    }
    let state: MRZReading.State =
      lines.contains { $0.last - $0.first >= 26 } ? .oneLine : chains.isEmpty && lines.isEmpty ? .noText : .text
    return MRZReading(state: state, outlines: [], zone: nil, scores: nil)
  }

  /// Lines that may be those of a zone, from the top; three lines before two.
  private static func groups(_ lines: [CharacterLine]) -> [[CharacterLine]] {
    guard let first = lines.first else { return [] }
    // All lines of a document have one direction.
    let down = first.curve.direction(at: Float(first.first)).turned
    let sorted = lines.filter { line in
      let other = line.curve.direction(at: Float(line.first)).turned
      return down.x * other.x + down.y * other.y > 0
    }.sorted { left, right in
      func depth(_ line: CharacterLine) -> Float {
        let center = line.curve.center(at: Float(line.first + line.last) / 2)
        return center.x * down.x + center.y * down.y
      }
      return depth(left) < depth(right)
    }
    let triples = sorted.indices.dropLast(2).map { Array(sorted[$0...($0 + 2)]) }
    let pairs = sorted.indices.dropLast(1).map { Array(sorted[$0...($0 + 1)]) }
    return triples.reversed() + pairs.reversed()
  }
}
