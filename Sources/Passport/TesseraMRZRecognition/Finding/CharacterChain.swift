import Glibc

/// Components at equal distances on a line, as characters of a fixed pitch are (Doc 9303-3, 4.5: ten characters an
/// inch). Text in proportional fonts does not form long chains.
struct CharacterChain {
  /// A component and its place in the chain. Places between may be empty.
  struct Member {
    var place: Int
    var center: Point
  }
  let members: [Member]
  /// How much the chain looks like a line of a zone: the number of its members, less where others stand above or below
  /// them. A zone has paper between its lines; a screen of dots or strokes is as dense across a chain as along it.
  private let rank: Float

  /// The vector from one place to the next.
  var step: Point { Self.step(of: members) }

  /// The fewest members of a chain that may be a line.
  private static let fewest = 9
  /// The most members. The longest lines have 44 characters; a pattern may continue them.
  private static let most = 52
  /// How many beginnings of chains are followed in one picture. A document has some hundreds, a screen some thousands.
  static let mostPairs = 30_000
  /// The most empty places between two members.
  private static let gap = 3
  /// The distance of two members by the size of the larger one. Characters are as far apart as capitals are high, fillers
  /// one and a half times as far as they are large, and lines that lean are foreshortened.
  private static let distances: ClosedRange<Float> = 0.6...1.8
  /// How much larger one of two neighbours is than the other at most.
  private static let ratio: Float = 2.2
  /// How much the components' areas differ at least, by their mean. Those of a printed pattern are alike.
  private static let leastVariety: Float = 0.1

  /// The chains of a picture, those that look most like a line of a zone first.
  ///
  /// - Parameter pairs: Counts the beginnings of chains that are followed.
  static func all(of components: [InkComponent], width: Int, height: Int, pairs: inout Int) -> [CharacterChain] {
    let grid = ComponentGrid(components, width: width, height: height)
    var isCovered = [Bool](repeating: false, count: components.count)
    var chains: [CharacterChain] = []
    let most = pairs + mostPairs
    for seed in seeds(grid) where !isCovered[seed] && pairs < most {
      let best = longest(from: seed, grid, &pairs)
      guard best.count >= fewest else { continue }
      // Components of a chain begin no others, but others may go through them: a chain of a pattern may cross a line.
      for link in best { isCovered[link.index] = true }
      let areas = best.map { Float(components[$0.index].area) }
      let mean = areas.reduce(0, +) / Float(areas.count)
      let variance = areas.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(areas.count)
      guard variance.squareRoot() > leastVariety * mean else { continue }
      chains.append(CharacterChain(best, grid))
    }
    return chains.sorted { $0.rank > $1.rank }
  }

  private typealias Link = (place: Int, index: Int)

  private init(_ links: [Link], _ grid: ComponentGrid) {
    let members = links.map { Member(place: $0.place, center: grid.centers[$0.index]) }
    let sizes = links.map { grid.sizes[$0.index] }.sorted()
    let size = sizes[sizes.count / 2]
    let down = Self.step(of: members).turned
    let crowded = members.count { member in
      [-1.2, 1.2].contains { side in
        grid.count(
          near: member.center + down * side, within: 0.75 * down.length, sizes: (0.6 * size)...(1.7 * size), most: 1)
          > 0
      }
    }
    self.members = members
    rank = Float(members.count) - 0.8 * Float(crowded)
  }

  private static func step(of members: [Member]) -> Point {
    guard let first = members.first, let last = members.last else { return Point(0, 0) }
    return (last.center - first.center) / Float(max(1, last.place - first.place))
  }

  /// The components in the order in which they begin chains: those with one or two neighbours of their size first, as
  /// characters have, so that a screen does not use up the pairs.
  private static func seeds(_ grid: ComponentGrid) -> [Int] {
    var classes: [[Int]] = [[], [], [], []]
    for (index, size) in grid.sizes.enumerated() {
      let count = grid.count(
        near: grid.centers[index], within: 1.65 * size, sizes: (0.45 * size)...(ratio * size), most: 7)
      // The component itself is one of them.
      switch count {
      case 2, 3: classes[0].append(index)
      case 4: classes[1].append(index)
      case 5: classes[2].append(index)
      case 6...: classes[3].append(index)
      default: break
      }
    }
    return Array(classes.joined())
  }

  /// The longest chain from a component to the right, or straight down.
  private static func longest(from seed: Int, _ grid: ComponentGrid, _ pairs: inout Int) -> [Link] {
    let (start, size) = (grid.centers[seed], grid.sizes[seed])
    var best: [Link] = []
    grid.forEach(near: start, within: distances.upperBound * ratio * size, sizes: (size / ratio)...(size * ratio)) {
      neighbour in
      let step = grid.centers[neighbour] - start
      // Each pair is met from both ends; one is enough.
      guard step.x > 0 || (step.x == 0 && step.y > 0),
        distances.contains(step.length / max(size, grid.sizes[neighbour]))
      else { return true }
      pairs += 1
      var found: [Link] = [(0, seed), (1, neighbour)]
      extend(&found, grid, forward: true)
      guard found.count >= 3 else { return true }
      extend(&found, grid, forward: false)
      if found.count > best.count { best = found }
      return true
    }
    return best
  }

  /// Adds components at one end, each where the last ones predict it.
  private static func extend(_ found: inout [Link], _ grid: ComponentGrid, forward: Bool) {
    while found.count <= most {
      let end = forward ? found[found.count - 1] : found[0]
      let other = forward ? found[max(0, found.count - 6)] : found[min(found.count - 1, 5)]
      let step = (grid.centers[end.index] - grid.centers[other.index]) / Float(end.place - other.place)
      let direction = forward ? 1 : -1
      let size = grid.sizes[end.index]
      var next: Link?
      for places in 1...(gap + 1) {
        let expected = grid.centers[end.index] + step * Float(direction * places)
        let nearest = grid.nearest(
          to: expected, within: step.length * 0.27 + 0.5, sizes: (size / 2.6)...(size * 2.6))
        guard let nearest else { continue }
        next = (end.place + direction * places, nearest)
        break
      }
      guard let next, !found.contains(where: { $0.index == next.index }) else { return }
      if abs(next.place - end.place) == 1 {
        // A component of the same size half way: the step is a multiple of the components' distance.
        let middle = (grid.centers[end.index] + grid.centers[next.index]) / 2
        var isDivided = false
        grid.forEach(near: middle, within: 0.2 * step.length, sizes: (0.6 * size)...(1.7 * size)) { index in
          isDivided = index != end.index && index != next.index
          return !isDivided
        }
        if isDivided { return }
      }
      if forward { found.append(next) } else { found.insert(next, at: 0) }
    }
  }
}

extension CharacterNetwork {
  /// The most probable character at a column of a strip, the logarithm of its probability, and the probability that there
  /// is any.
  func best(_ strip: LineStrip, column: Int) -> (character: Int, logarithm: Float, presence: Float) {
    let logarithms = logProbabilities(strip, column: column)
    var best = 0
    for character in 1..<ZoneCharacter.none where logarithms[character] > logarithms[best] { best = character }
    return (best, logarithms[best], 1 - exp(logarithms[ZoneCharacter.none]))
  }
}
