import TesseraPassport

/// Finds the most probable zone of which all check digits are right.
///
/// A check digit decides between characters that look alike only within what the picture allows: each correction has a
/// cost, the logarithm of how much less probable the character is than the most probable one.
struct ZoneDecoder {
  /// A zone with right check digits.
  struct Candidate {
    var lines: [String]
    var layout: ZoneLayout
    /// How much less probable the zone is than the characters that are the most probable ones each by itself.
    var correction: Float
    /// How much more probable the zone is than every other one with right check digits that differs in characters that
    /// check digits cover, or in its format.
    var margin: Float
    /// How much more probable each character that no check digit covers is than every other one.
    var uncheckedMargin: Float
    var score: Float
  }

  /// Characters that are less probable than the best one of their place by more are not considered.
  private static let reach: Float = 12
  /// How much more probable than any character it may be that a place has none.
  private static let mostEmptiness: Float = 1

  /// The most probable candidate over all formats; its margin includes the others.
  static func best(_ scores: ZoneScores) -> Candidate? {
    let layouts = ZoneLayout.all(
      rows: scores.rows, columns: scores.columns, continuations: continuations(scores))
    let candidates = layouts.compactMap { candidate(scores, $0) }.sorted { $0.score > $1.score }
    guard var best = candidates.first else { return nil }
    for other in candidates.dropFirst() where other.lines != best.lines {
      best.margin = min(best.margin, best.score - other.score)
    }
    return best
  }

  /// How many characters of a long document number may stand in the optional data: up to the first filler there.
  private static func continuations(_ scores: ZoneScores) -> [Int] {
    let (row, start, end): (Int, Int, Int)
    switch (scores.rows, scores.columns) {
    case (3, 30): (row, start, end) = (0, 15, 30)
    case (2, 36): (row, start, end) = (1, 28, 35)
    default: return []
    }
    let length = (start..<end).prefix { scores.best(row, $0) != ZoneCharacter.filler }.count
    return length >= 2 ? [length - 1] : []
  }

  private static func candidate(_ scores: ZoneScores, _ layout: ZoneLayout) -> Candidate? {
    var characters = [[Int]](
      repeating: Array(repeating: ZoneCharacter.filler, count: layout.columns), count: layout.rows)
    var covered = Set<Int>()
    for step in layout.steps { covered.insert(step.row * layout.columns + step.column) }
    var score: Float = 0
    var ideal: Float = 0
    var uncheckedMargin = Float.infinity
    var emptiness: Float = 0
    for row in 0..<layout.rows {
      for column in 0..<layout.columns {
        let best = scores.value(row, column, scores.best(row, column))
        ideal += best
        emptiness = max(emptiness, scores.value(row, column, ZoneCharacter.none) - best)
        guard !covered.contains(row * layout.columns + column) else { continue }
        let options = options(scores, row, column, layout)
        guard let first = options.first, first.score > best - reach else { return nil }
        characters[row][column] = first.character
        score += first.score
        // A character that the format does not permit may also show that it is another format; those compete by score.
        if options.count > 1 { uncheckedMargin = min(uncheckedMargin, first.score - options[1].score) }
      }
    }
    // A place without a character has no reading, however probable one is among the others.
    guard emptiness <= mostEmptiness else { return nil }
    guard let path = CheckedPath(scores, layout, reach: reach) else { return nil }
    for (step, character) in zip(layout.steps, path.characters) { characters[step.row][step.column] = character }
    let lines = characters.map { String(decoding: $0.map(ZoneCharacter.ascii), as: UTF8.self) }
    score += path.score
    return Candidate(
      lines: lines, layout: layout, correction: ideal - score, margin: path.margin, uncheckedMargin: uncheckedMargin,
      score: score)
  }

  /// The permitted characters of a place, the most probable first.
  fileprivate static func options(
    _ scores: ZoneScores, _ row: Int, _ column: Int, _ layout: ZoneLayout
  ) -> [(character: Int, score: Float)] {
    let alphabet = layout.alphabets[row][column]
    return (0..<ZoneCharacter.none).filter { alphabet & (1 << UInt64($0)) != 0 }
      .map { (character: $0, score: scores.value(row, column, $0)) }
      .sorted { $0.score > $1.score }
  }
}

/// The most probable sequences of characters with right check digits, by dynamic programming: the state after each
/// character is the sum of the current field and that of the composite check digit, both modulo 10.
private struct CheckedPath {
  let characters: [Int]
  let score: Float
  /// How much more probable the first is than the others. Equal substitutions count once: one defect of the print or of
  /// the lens makes all zeros of a zone look like the letter, so they are no independent evidence.
  let margin: Float

  private struct Entry {
    var score: Float
    var previous: Int32
    var character: UInt8
  }

  /// Entries a state.
  private static let ranks = 8
  /// How many sequences are compared with the most probable one.
  private static let compared = 48

  init?(_ scores: ZoneScores, _ layout: ZoneLayout, reach: Float) {
    let none = Entry(score: -.infinity, previous: -1, character: 0)
    let size = 100 * Self.ranks
    var current = [Entry](repeating: none, count: size)
    current[0].score = 0
    var history: [[Entry]] = []
    history.reserveCapacity(layout.steps.count)
    var fieldIsFiller = true
    for step in layout.steps {
      let options = ZoneDecoder.options(scores, step.row, step.column, layout)
      guard let best = options.first else { return nil }
      let near = options.prefix(8).filter { $0.score > best.score - reach }
      var next = [Entry](repeating: none, count: size)
      for index in 0..<size where current[index].score > -.infinity {
        let state = index / Self.ranks
        let (field, composite) = (state / 10, state % 10)
        for option in near {
          let value = ZoneCharacter.checkValue(option.character) % 10
          var newField = (field + value * step.fieldWeight) % 10
          switch step.role {
          case .data: break
          case .fieldDigit(let mayBeFiller):
            let isFiller = option.character == ZoneCharacter.filler
            guard isFiller ? mayBeFiller && fieldIsFiller : value == field else { continue }
            newField = 0
          case .compositeDigit: guard value == composite else { continue }
          }
          let newComposite = (composite + value * step.compositeWeight) % 10
          let entry = Entry(
            score: current[index].score + option.score, previous: Int32(index), character: UInt8(option.character))
          Self.insert(entry, (newField * 10 + newComposite) * Self.ranks, &next)
        }
      }
      switch step.role {
      case .data:
        if step.fieldWeight != 0, best.character != ZoneCharacter.filler { fieldIsFiller = false }
      default: fieldIsFiller = true
      }
      history.append(next)
      current = next
    }
    let ends = current.indices.filter { current[$0].score > -.infinity }.sorted {
      current[$0].score > current[$1].score
    }
    guard let end = ends.first else { return nil }
    let characters = Self.characters(from: end, history)
    self.characters = characters
    score = current[end].score
    var margin = Float.infinity
    for other in ends.dropFirst().prefix(Self.compared) {
      var substitutions: [Int: Float] = [:]
      for (index, character) in Self.characters(from: other, history).enumerated() where character != characters[index]
      {
        let step = layout.steps[index]
        let cost =
          scores.value(step.row, step.column, characters[index]) - scores.value(step.row, step.column, character)
        let pair = characters[index] * ZoneCharacter.count + character
        substitutions[pair] = max(substitutions[pair] ?? -.infinity, cost)
      }
      margin = min(margin, substitutions.values.reduce(0, +))
    }
    self.margin = min(margin, Self.marginOfEqualSubstitutions(characters, scores, layout))
  }

  /// The least cost of replacing all occurrences of one character by another one, if the check digits stay right. So many
  /// differences have a sum that the search above does not reach.
  private static func marginOfEqualSubstitutions(
    _ characters: [Int], _ scores: ZoneScores, _ layout: ZoneLayout
  ) -> Float {
    var margin = Float.infinity
    for character in Set(characters) {
      for other in 0..<ZoneCharacter.none where other != character {
        var changed = characters
        var cost: Float = 0
        for (index, step) in layout.steps.enumerated() where characters[index] == character {
          guard layout.alphabets[step.row][step.column] & (1 << UInt64(other)) != 0 else { continue }
          changed[index] = other
          cost = max(
            cost, scores.value(step.row, step.column, character) - scores.value(step.row, step.column, other))
        }
        guard changed != characters, cost < margin, layout.hasRightCheckDigits(changed) else { continue }
        margin = cost
      }
    }
    return margin
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
  private static func insert(_ entry: Entry, _ start: Int, _ entries: inout [Entry]) {
    guard entry.score > entries[start + ranks - 1].score else { return }
    var place = start + ranks - 1
    while place > start, entries[place - 1].score < entry.score {
      entries[place] = entries[place - 1]
      place -= 1
    }
    entries[place] = entry
  }
}
