/// The fields of a zone that check digits cover, as they are most probable.
struct CheckedFields {
  /// The characters of all cells; fillers in those that no check digit covers.
  private(set) var best: [Int] = []
  private(set) var score: Float = 0
  /// How much more probable the best one is than every other one.
  var margin: Float { others.first?.cost ?? .infinity }
  /// Other readings, the most probable first, with how much less probable they are.
  private(set) var others: [(zone: [Int], cost: Float)] = []

  private let layout: ZoneLayout
  private let options: CellOptions
  private let scores: ZoneScores
  private let numbers: NumberPrior
  /// The cells that check digits cover.
  private let cells: [Int]

  /// Readings for each contribution to the composite check digit, and readings that are compared with the best one.
  private static let ranks = 8
  private static let compared = 64
  /// Readings that are less probable by more are left out.
  private static let reach: Float = 24
  /// How often another reading may take the place of the best one.
  private static let mostChanges = 4

  /// - Parameter issuingState: nil if the picture leaves it open.
  /// - Returns: nil if no zone with right check digits is near to what the picture shows.
  init?(
    _ layout: ZoneLayout, _ options: CellOptions, _ scores: ZoneScores, issuingState: String?, kind: IssuerNumbers.Kind
  ) {
    (self.layout, self.options, self.scores) = (layout, options, scores)
    numbers = NumberPrior(
      issuingState: layout.isVisa ? "" : issuingState ?? "", kind: kind,
      isOldFrenchCard: layout.format == .frenchIdentityCard)
    cells = layout.fields.flatMap { $0.all.map(\.cell) } + (layout.compositeDigit.map { [$0] } ?? [])
    let readings = combinations()
    guard let first = readings.first else { return nil }
    var best = first
    for _ in 0..<Self.mostChanges {
      compare(best, with: readings)
      // Equal differences count once below, so that another one may be more probable than the one with the best sum.
      guard let better = others.first, better.cost < 0 else { break }
      best = better.zone
    }
    if self.best != best { compare(best, with: readings) }
    let prior = priors(best).reduce(0) { $0 + NumberPrior.bounded($1) }
    score = cells.reduce(prior) { $0 + scores.value($1, best[$1]) }
  }

  // MARK: - Readings

  private struct Combination {
    var characters: [[Int]] = []
    var score: Float = 0
  }

  /// The most probable zones with right check digits, by the sum over their fields.
  private func combinations() -> [[Int]] {
    let search = FieldSearch(options: options, alphabets: layout.alphabets)
    var sums: [[Combination]] = Array(repeating: [], count: 10)
    sums[0] = [Combination()]
    for field in layout.fields {
      let readings = search.readings(of: field, masks: masks(field)) { prior(field.content, $0) }
      let top = readings.joined().map(\.score).max() ?? 0
      let limit = (sums.joined().map(\.score).max() ?? 0) + top - Self.reach
      var next: [[(score: Float, from: (Int, Int), to: (Int, Int))]] = Array(repeating: [], count: 10)
      for (residue, combinations) in sums.enumerated() {
        for (index, combination) in combinations.enumerated() where combination.score + top > limit {
          for (other, readings) in readings.enumerated() {
            for (rank, reading) in readings.enumerated() where combination.score + reading.score > limit {
              next[(residue + other) % 10].append(
                (combination.score + reading.score, (residue, index), (other, rank)))
            }
          }
        }
      }
      sums = next.map { list in
        list.sorted { $0.score > $1.score }.prefix(Self.ranks).map { entry in
          var combination = sums[entry.from.0][entry.from.1]
          combination.characters.append(readings[entry.to.0][entry.to.1].characters)
          combination.score = entry.score
          return combination
        }
      }
    }
    var all: [(zone: [Int], score: Float)] = []
    let digits = layout.compositeDigit.map { options.near($0, layout.alphabets[$0], .max) }
    for (residue, combinations) in sums.enumerated() {
      var score: Float = 0
      if let digits {
        guard let digit = digits.first(where: { $0.character == residue }) else { continue }
        score = digit.score
      }
      for combination in combinations {
        var zone = [Int](repeating: ZoneCharacter.filler, count: layout.rows * layout.columns)
        for (field, characters) in zip(layout.fields, combination.characters) {
          for (place, character) in zip(field.all, characters) { zone[place.cell] = character }
        }
        if let digit = layout.compositeDigit { zone[digit] = residue }
        all.append((zone, combination.score + score))
      }
    }
    return all.sorted { $0.score > $1.score }.prefix(Self.compared).map(\.zone)
  }

  private func masks(_ field: ZoneField) -> [[UInt64]] {
    let numbers: NumberPrior
    switch field.content {
    case .documentNumber: numbers = self.numbers
    case .optionalData: numbers = .optionalData
    case .date, .other: return []
    }
    let best = field.places.map { options.near($0.cell, layout.alphabets[$0.cell], .max).first?.character ?? 0 }
    return numbers.masks(best, places: field.places.count)
  }

  private func prior(_ content: ZoneField.Content, _ characters: ArraySlice<Int>) -> Float? {
    switch content {
    case .documentNumber: numbers.value(characters)
    case .optionalData: NumberPrior.optionalData.value(characters)
    case .date: DatePrior.value(characters)
    case .other: 0
    }
  }

  /// Of each field.
  private func priors(_ zone: [Int]) -> [Float] {
    layout.fields.map { prior($0.content, $0.places.map { zone[$0.cell] }[...]) ?? -.infinity }
  }

  // MARK: - Comparison

  private mutating func compare(_ best: [Int], with readings: [[Int]]) {
    self.best = best
    let own = priors(best)
    var seen: Set<[Int]> = [best]
    others = (readings + equalSubstitutions(best)).filter { seen.insert($0).inserted }.compactMap { zone in
      let priors = priors(zone)
      guard !priors.contains(-.infinity) else { return nil }
      let rules = NumberPrior.difference(own.reduce(0, +), priors.reduce(0, +))
      return (zone, cost(of: zone, insteadOf: best) + rules)
    }.sorted { $0.1 < $1.1 }
  }

  /// What the picture says against a zone. Equal substitutions count once: one defect of the print or of the lens makes all
  /// zeros of a zone look like the letter, so they are no independent evidence. Where one place speaks for the zone and an
  /// equal one against it, their sum counts: a place that says nothing must not hide one that says much.
  private func cost(of zone: [Int], insteadOf best: [Int]) -> Float {
    var substitutions: [Int: (most: Float, sum: Float)] = [:]
    for cell in cells where zone[cell] != best[cell] {
      let cost = scores.value(cell, best[cell]) - scores.value(cell, zone[cell])
      let pair = best[cell] * ZoneCharacter.count + zone[cell]
      let present = substitutions[pair] ?? (-.infinity, 0)
      substitutions[pair] = (max(present.most, cost), present.sum + cost)
    }
    return substitutions.values.reduce(0) { $0 + min($1.most, $1.sum) }
  }

  /// The zones in which all occurrences of one character, or of two, are another one, in one field or in all, and the
  /// check digits are right. So many differences have a sum that the search does not reach.
  private func equalSubstitutions(_ zone: [Int]) -> [[Int]] {
    let numbers = layout.fields.filter {
      switch $0.content {
      case .documentNumber, .optionalData: true
      case .date, .other: false
      }
    }
    var zones: [[Int]] = []
    for scope in [cells] + numbers.map({ $0.all.map(\.cell) }) {
      let changes = substitutions(zone, scope)
      func change(_ changes: [(cells: [Int], character: Int)]) {
        var changed = zone
        for change in changes { for cell in change.cells { changed[cell] = change.character } }
        if layout.hasRightCheckDigits(changed) { zones.append(changed) }
      }
      for (index, first) in changes.enumerated() {
        change([first])
        for second in changes[..<index] where Set(second.cells).isDisjoint(with: first.cells) {
          change([second, first])
        }
      }
    }
    return zones
  }

  /// How many kinds of substitutions are combined.
  private static let mostSubstitutions = 12

  /// For each pair of characters, the cells of the first one that permit the second one, if all of these may be the
  /// second one; those with the least cost.
  private func substitutions(_ zone: [Int], _ scope: [Int]) -> [(cells: [Int], character: Int)] {
    var pairs: [Int: (cells: [Int], cost: Float)] = [:]
    for cell in scope {
      guard let own = options.near(cell, layout.alphabets[cell], .max).first(where: { $0.character == zone[cell] })
      else { continue }
      for option in options.near(cell, layout.alphabets[cell], .max) where option.character != zone[cell] {
        let pair = zone[cell] * ZoneCharacter.count + option.character
        var present = pairs[pair] ?? ([], -.infinity)
        present = (present.cells + [cell], max(present.cost, own.score - option.score))
        pairs[pair] = present
      }
    }
    return pairs.filter { pair, change in
      let (from, to) = (pair / ZoneCharacter.count, pair % ZoneCharacter.count)
      let all = scope.count { zone[$0] == from && layout.alphabets[$0] & (1 << UInt64(to)) != 0 }
      return all == change.cells.count
    }.sorted { $0.value.cost < $1.value.cost }.prefix(Self.mostSubstitutions).map {
      ($0.value.cells, $0.key % ZoneCharacter.count)
    }
  }
}

/// How probable six characters are as a date, in nats.
enum DatePrior {
  /// A month or day that is not known: fillers (Doc 9303-3, 4.8), or zeros as some issuers print; or nines for a date of
  /// expiry that does not come.
  private static let unknown: Float = -2
  /// There is no such date: a zone with it is never given (`RecognizedZone`), and as a rival it says that the picture is not clear.
  private static let impossible: Float = -8

  /// Whether there is such a date, or a part of it is not known.
  static func isPossible(_ characters: ArraySlice<Int>) -> Bool { value(characters) > impossible }

  static func value(_ characters: ArraySlice<Int>) -> Float {
    let date = Array(characters)
    guard date.count == 6 else { return impossible }
    if date.allSatisfy({ $0 == 9 }) { return unknown }
    let (month, day) = (cost(date[2], date[3], upTo: 12), cost(date[4], date[5], upTo: 31))
    let year: Float = date[0] == ZoneCharacter.filler || date[1] == ZoneCharacter.filler ? unknown : 0
    return min(month, day, year)
  }

  private static func cost(_ tens: Int, _ ones: Int, upTo last: Int) -> Float {
    if tens == ZoneCharacter.filler || ones == ZoneCharacter.filler { return unknown }
    let value = tens * 10 + ones
    return value == 0 ? unknown : value <= last ? 0 : impossible
  }
}
