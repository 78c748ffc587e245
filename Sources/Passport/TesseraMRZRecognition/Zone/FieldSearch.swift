/// A sequence of characters for a field, its check digit right.
struct FieldReading {
  /// One for each of `ZoneField.all`.
  var characters: [Int]
  /// The sum of the logarithms of the characters' probabilities in the picture.
  var picture: Float
  /// The logarithm of how probable such a field is before one looks at the picture, bounded.
  var prior: Float

  var score: Float { picture + prior }
}

/// The most probable readings of a field, by dynamic programming: the state after each character is the sum of the
/// field's check digit and that of the composite one, both modulo 10.
struct FieldSearch {
  let options: CellOptions
  /// The permitted characters of each cell of the zone.
  let alphabets: [UInt64]

  private struct Entry {
    var score: Float
    var previous: Int32
    var character: UInt8
  }

  /// Entries a state.
  private static let ranks = 8
  /// A shape is not tried if its most probable characters are less probable than the best ones by more.
  private static let mostDeviation: Float = 16
  private static let none = Entry(score: -.infinity, previous: -1, character: 0)

  /// The most probable readings for each contribution to the composite check digit.
  ///
  /// - Parameters:
  ///   - masks: permitted characters of the field's places; searched one by one, so that the most probable reading of
  ///     each shape is among the results, however many others are more probable by the picture alone.
  ///   - prior: the logarithm of the probability of the characters without the digit; nil if there is no such field.
  func readings(of field: ZoneField, masks: [[UInt64]], prior: (ArraySlice<Int>) -> Float?) -> [[FieldReading]] {
    var found: [[FieldReading]] = Array(repeating: [], count: 10)
    var seen = Set<[Int]>()
    let all = [UInt64](repeating: .max, count: field.places.count)
    func sum(_ mask: [UInt64]) -> Float {
      zip(field.places, mask).reduce(0) { sum, place in
        sum + (options.near(place.0.cell, alphabets[place.0.cell], place.1).first?.score ?? -.infinity)
      }
    }
    let limit = sum(all) - Self.mostDeviation
    for (index, mask) in ([all] + masks.filter { sum($0) > limit }).enumerated() {
      for end in search(field, mask, ranks: index == 0 ? Self.ranks : 2) where seen.insert(end.characters).inserted {
        guard let prior = prior(end.characters.prefix(field.places.count)) else { continue }
        var reading = end
        reading.prior = NumberPrior.bounded(prior)
        found[field.residue(end.characters)].append(reading)
      }
    }
    return found.map { Array($0.sorted { $0.score > $1.score }.prefix(Self.ranks)) }
  }

  private func search(_ field: ZoneField, _ mask: [UInt64], ranks: Int) -> [FieldReading] {
    let states = field.digit == nil ? 10 : 100
    var current = [Entry](repeating: Self.none, count: states * ranks)
    current[0].score = 0
    var history: [[Entry]] = []
    history.reserveCapacity(field.places.count + 1)
    for (index, place) in field.places.enumerated() {
      let near = options.near(place.cell, alphabets[place.cell], mask[index])
      guard !near.isEmpty else { return [] }
      let weight = field.digit == nil ? 0 : field.weight(ofPlace: index)
      var next = [Entry](repeating: Self.none, count: states * ranks)
      for from in current.indices where current[from].score > -.infinity {
        let state = from / ranks
        for option in near {
          let value = ZoneCharacter.checkValue(option.character)
          let field = (state / 10 + value * weight) % 10
          let composite = (state % 10 + value * place.compositeWeight) % 10
          Self.insert(option, from, current[from].score, (field * 10 + composite) * ranks, ranks, &next)
        }
      }
      history.append(next)
      current = next
    }
    if let digit = field.digit {
      var next = [Entry](repeating: Self.none, count: states * ranks)
      let near = options.near(digit.cell, alphabets[digit.cell], .max)
      for from in current.indices where current[from].score > -.infinity {
        let state = from / ranks
        for option in near {
          let isFiller = option.character == ZoneCharacter.filler
          // Whether all characters are fillers is known when the sequence is.
          guard isFiller ? field.digitMayBeFiller && state / 10 == 0 : option.character == state / 10 else { continue }
          let composite = (state % 10 + ZoneCharacter.checkValue(option.character) * digit.compositeWeight) % 10
          Self.insert(option, from, current[from].score, composite * ranks, ranks, &next)
        }
      }
      history.append(next)
      current = next
    }
    return current.indices.filter { current[$0].score > -.infinity }.compactMap { end in
      let characters = Self.characters(from: end, history)
      guard field.hasRightDigit(characters) else { return nil }
      return FieldReading(characters: characters, picture: current[end].score, prior: 0)
    }
  }

  private static func characters(from end: Int, _ history: [[Entry]]) -> [Int] {
    var characters: [Int] = []
    characters.reserveCapacity(history.count)
    var index = end
    for entries in history.reversed() {
      characters.append(Int(entries[index].character))
      index = Int(entries[index].previous)
    }
    return characters.reversed()
  }

  /// Keeps the most probable entries of a state in order.
  private static func insert(
    _ option: CellOptions.Option, _ from: Int, _ score: Float, _ start: Int, _ ranks: Int, _ entries: inout [Entry]
  ) {
    let score = score + option.score
    guard score > entries[start + ranks - 1].score else { return }
    var place = start + ranks - 1
    while place > start, entries[place - 1].score < score {
      entries[place] = entries[place - 1]
      place -= 1
    }
    entries[place] = Entry(score: score, previous: Int32(from), character: UInt8(option.character))
  }
}

/// The characters of each cell, the most probable first.
struct CellOptions {
  struct Option {
    var character: Int
    var score: Float
  }

  private let sorted: [[Option]]
  /// Characters that are less probable than the best permitted one of their place by more are not considered.
  static let reach: Float = 12

  init(_ scores: ZoneScores) {
    sorted = (0..<(scores.rows * scores.columns)).map { cell in
      (0..<ZoneCharacter.none).map { character in
        // A value that is not a number must not drop out of the comparisons.
        let score = scores.value(cell, character)
        return Option(character: character, score: score.isFinite ? score : -30)
      }.sorted { $0.score > $1.score }
    }
  }

  /// The most probable character, permitted or not.
  func best(_ cell: Int) -> Option { sorted[cell][0] }

  /// The permitted characters that may be considered; at most eight.
  ///
  /// - Parameter mask: if it permits none of those that the alphabet leaves, there are none.
  func near(_ cell: Int, _ alphabet: UInt64, _ mask: UInt64) -> [Option] {
    var near: [Option] = []
    var best: Float?
    for option in sorted[cell] where alphabet & (1 << UInt64(option.character)) != 0 {
      let limit = (best ?? option.score) - Self.reach
      best = best ?? option.score
      if option.score < limit || near.count == 8 { break }
      if mask & (1 << UInt64(option.character)) != 0 { near.append(option) }
    }
    return near
  }
}
