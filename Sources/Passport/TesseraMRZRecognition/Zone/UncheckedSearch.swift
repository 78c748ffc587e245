/// The most probable reading of a field that no check digit covers.
struct UncheckedSearch {
  struct Reading {
    var characters: [Int]
    /// How much less probable it is than the best one.
    var cost: Float
  }

  let best: [Int]
  /// The sum of the logarithms of the probabilities of its characters in the picture.
  let picture: Float
  /// How probable it is before one looks at the picture, bounded.
  let prior: Float
  /// Other readings, the most probable first.
  let others: [Reading]
  /// How much more probable the best one is than every other one.
  var margin: Float { others.first?.cost ?? .infinity }

  /// How many other readings are kept.
  private static let kept = 4
  /// How often a reading is improved by another character.
  private static let mostSteps = 12

  /// - Parameters:
  ///   - starts: readings to compare with the one of the picture.
  ///   - prior: of the characters, in nats.
  init?(
    _ cells: [Int], _ options: CellOptions, _ alphabets: [UInt64], starts: [[Int]] = [], prior: ([Int]) -> Float
  ) {
    let near = cells.map { options.near($0, alphabets[$0], .max) }
    guard near.allSatisfy({ !$0.isEmpty }) else { return nil }
    func picture(_ characters: [Int]) -> Float? {
      var sum: Float = 0
      for (options, character) in zip(near, characters) {
        guard let option = options.first(where: { $0.character == character }) else { return nil }
        sum += option.score
      }
      return sum
    }
    let all = ([near.map { $0[0].character }] + starts).compactMap { start in
      picture(start).map { (characters: start, score: $0 + prior(start)) }
    }
    guard var best = all.max(by: { $0.score < $1.score }) else { return nil }
    var changes = Self.changes(of: best.characters, near, prior)
    for _ in 0..<Self.mostSteps {
      guard let better = changes.min(by: { $0.cost < $1.cost }), better.cost < 0 else { break }
      best = (better.characters, (picture(better.characters) ?? 0) + prior(better.characters))
      changes = Self.changes(of: best.characters, near, prior)
    }
    let own = prior(best.characters)
    changes += all.map { start in
      let other = prior(start.characters)
      return Reading(
        characters: start.characters,
        cost: best.score - own - (start.score - other) + UncheckedPrior.difference(own, other))
    }
    var others: [Reading] = []
    for change in changes.sorted(by: { $0.cost < $1.cost }) where others.count < Self.kept {
      if change.characters != best.characters, !others.contains(where: { $0.characters == change.characters }) {
        others.append(change)
      }
    }
    self.best = best.characters
    self.prior = NumberPrior.bounded(own)
    self.picture = best.score - own
    self.others = others
  }

  /// The readings that differ in one character, or in all occurrences of one; the latter at the cost of the dearest one,
  /// because one defect of the print or of the lens makes all of them look alike.
  private static func changes(
    of characters: [Int], _ near: [[CellOptions.Option]], _ prior: ([Int]) -> Float
  ) -> [Reading] {
    let own = prior(characters)
    var changes: [Reading] = []
    var equal: [Int: (cost: Float, characters: [Int], count: Int)] = [:]
    for (index, options) in near.enumerated() {
      guard let present = options.first(where: { $0.character == characters[index] }) else { continue }
      for option in options where option.character != present.character {
        var changed = characters
        changed[index] = option.character
        let cost = present.score - option.score
        changes.append(
          Reading(characters: changed, cost: cost + UncheckedPrior.difference(own, prior(changed))))
        var all = equal[present.character * ZoneCharacter.count + option.character] ?? (-.infinity, characters, 0)
        all.characters[index] = option.character
        all = (max(all.cost, cost), all.characters, all.count + 1)
        equal[present.character * ZoneCharacter.count + option.character] = all
      }
    }
    for change in equal.values where change.count > 1 {
      changes.append(
        Reading(
          characters: change.characters, cost: change.cost + UncheckedPrior.difference(own, prior(change.characters))))
    }
    return changes
  }
}
