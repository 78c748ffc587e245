/// Components at equal distances on a line, as characters of a fixed pitch are (Doc 9303-3, 4.5: ten characters an
/// inch). Text in proportional fonts does not form long chains.
struct CharacterChain {
  /// A component and its place in the chain. Places between may be empty.
  struct Member {
    var place: Int
    var center: Point
    var size: Float
    var area: Float
  }
  private(set) var members: [Member]

  /// The fewest members of a chain that may be a line.
  private static let fewest = 9
  /// The most: longer chains are regular patterns. The longest lines have 44 characters.
  private static let most = 52
  /// How many beginnings of chains are followed in one picture. A document has some thousands.
  private static let mostPairs = 60_000
  /// The most empty places between two members.
  private static let gap = 3

  /// The chains of a picture, the longest first.
  static func all(of components: [InkComponent], width: Int, height: Int) -> [CharacterChain] {
    let grid = ComponentGrid(components, width: width, height: height)
    var isUsed = [Bool](repeating: false, count: components.count)
    var chains: [CharacterChain] = []
    var pairs = 0
    for seed in components.indices where !isUsed[seed] && pairs < mostPairs {
      let start = components[seed]
      var best: [(place: Int, index: Int)] = []
      grid.forEach(near: start.center, within: 2 * start.size) { neighbour in
        guard neighbour != seed, !isUsed[neighbour] else { return }
        let step = components[neighbour].center - start.center
        // Each pair is met from both ends; one is enough.
        guard step.x > 0 || (step.x == 0 && step.y > 0) else { return }
        let (small, large) = (min(start.size, components[neighbour].size), max(start.size, components[neighbour].size))
        guard large < 2.4 * small, step.length > 0.6 * large, step.length < 2 * large else { return }
        pairs += 1
        var found = [(0, seed), (1, neighbour)]
        extend(&found, components, grid, isUsed, forward: true)
        guard found.count >= 3 else { return }
        extend(&found, components, grid, isUsed, forward: false)
        if found.count > best.count { best = found.map { (place: $0.0, index: $0.1) } }
      }
      guard best.count >= fewest else { continue }
      for (_, index) in best { isUsed[index] = true }
      guard best.count <= most else { continue }
      let chain = CharacterChain(
        members: best.map {
          Member(
            place: $0.place, center: components[$0.index].center, size: components[$0.index].size,
            area: Float(components[$0.index].area))
        })
      if chain.isVaried { chains.append(chain) }
    }
    return chains.sorted { $0.members.count > $1.members.count }
  }

  /// Whether the components differ as characters do. Those of a printed pattern are alike.
  private var isVaried: Bool {
    let mean = members.reduce(0) { $0 + $1.area } / Float(members.count)
    let variance = members.reduce(0) { $0 + ($1.area - mean) * ($1.area - mean) } / Float(members.count)
    return variance.squareRoot() > 0.1 * mean
  }

  private init(members: [Member]) {
    self.members = members
    // Characters that touch are missing, so that a chain may have every other place only.
    let sizes = members.map(\.size).sorted()
    let size = sizes[sizes.count * 3 / 4]
    let step = (members[members.count - 1].center - members[0].center).length
    let pitch = step / Float(max(1, members[members.count - 1].place - members[0].place))
    if pitch > 1.5 * size { for index in members.indices { self.members[index].place *= 2 } }
  }

  /// Adds components at one end, each where the last ones predict it.
  private static func extend(
    _ found: inout [(Int, Int)], _ components: [InkComponent], _ grid: ComponentGrid, _ isUsed: [Bool], forward: Bool
  ) {
    while found.count <= most {
      let end = forward ? found[found.count - 1] : found[0]
      let other = forward ? found[max(0, found.count - 6)] : found[min(found.count - 1, 5)]
      let step = (components[end.1].center - components[other.1].center) / Float(end.0 - other.0)
      let direction = forward ? 1 : -1
      let size = components[end.1].size
      var next: (place: Int, index: Int)?
      for places in 1...(gap + 1) {
        let place = end.0 + direction * places
        let expected = components[end.1].center + step * Float(direction * places)
        let tolerance = step.length * 0.27 + 0.5
        var nearest = tolerance
        grid.forEach(near: expected, within: tolerance) { index in
          let distance = (components[index].center - expected).length
          let other = components[index].size
          guard distance < nearest, !isUsed[index], other < 2.6 * size, size < 2.6 * other else { return }
          nearest = distance
          next = (place, index)
        }
        if next != nil { break }
      }
      guard let next, !found.contains(where: { $0.1 == next.index }) else { return }
      if forward { found.append((next.place, next.index)) } else { found.insert((next.place, next.index), at: 0) }
    }
  }
}
