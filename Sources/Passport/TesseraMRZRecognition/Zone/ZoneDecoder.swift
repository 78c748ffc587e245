/// Finds the most probable zone of which all check digits are right.
///
/// A check digit decides between characters that look alike only within what the picture allows: each correction has a
/// cost, the logarithm of how much less probable the character is than the most probable one. What issuers print
/// (`NumberPrior`, `UncheckedPrior`) adds to it, and is worth less than a clear picture.
struct ZoneDecoder {
  /// A zone with right check digits.
  struct Candidate {
    var lines: [String]
    var layout: ZoneLayout
    /// How much less probable the zone is, by the picture, than the characters that are the most probable ones each by
    /// itself.
    var correction: Float
    /// How much more probable the zone is than every other one with right check digits that differs in characters that
    /// check digits cover, or in its format.
    var margin: Float
    /// How much more probable the fields that no check digit covers are than every other reading of them.
    var uncheckedMargin: Float
    var score: Float
    /// This zone and others, the most probable first.
    var readings: [Reading]
  }

  struct Reading {
    var lines: [String]
    var layout: ZoneLayout
    /// As `Candidate.correction`, but equal corrections count once.
    var deviation: Float
    /// How much less probable it is than the best zone.
    var cost: Float
  }

  /// How much more probable than any character it may be that a place has none.
  private static let mostEmptiness: Float = 1
  /// A zone whose characters cost more, each by itself, is not of the format.
  private static let mostForbidden: Float = 24
  /// How many other zones are kept.
  private static let kept = 16

  /// The most probable candidate over all formats; its margin includes the others.
  static func best(_ scores: ZoneScores) -> Candidate? {
    let options = CellOptions(scores)
    guard !isEmpty(scores, options) else { return nil }
    let layouts = ZoneLayout.all(
      rows: scores.rows, columns: scores.columns, continuations: continuations(scores, options))
    let candidates = layouts.compactMap { candidate(scores, options, $0) }.sorted { $0.score > $1.score }
    guard var best = candidates.first else { return nil }
    for other in candidates.dropFirst() {
      let cost = best.score - other.score
      if other.lines == best.lines {
        // A format that permits more characters can leave open what this one decides.
        best.margin = min(best.margin, cost + other.margin)
        best.uncheckedMargin = min(best.uncheckedMargin, cost + other.uncheckedMargin)
      } else {
        best.margin = min(best.margin, cost)
      }
      best.readings += other.readings.map { reading in
        var reading = reading
        reading.cost += cost
        return reading
      }
    }
    var seen: Set<[String]> = []
    best.readings = Array(
      best.readings.sorted { $0.cost < $1.cost }.filter { seen.insert($0.lines).inserted }.prefix(kept))
    return best
  }

  /// A place without a character has no reading, however probable one is among the others.
  private static func isEmpty(_ scores: ZoneScores, _ options: CellOptions) -> Bool {
    (0..<(scores.rows * scores.columns)).contains {
      scores.value($0, ZoneCharacter.none) - options.best($0).score > mostEmptiness
    }
  }

  /// How many characters of a long document number may stand in the optional data: up to the first filler there.
  private static func continuations(_ scores: ZoneScores, _ options: CellOptions) -> [Int] {
    let cells: Range<Int>
    switch (scores.rows, scores.columns) {
    case (3, 30): cells = 15..<30
    case (2, 36): cells = 36 + 28..<36 + 35
    default: return []
    }
    let length = cells.prefix { options.best($0).character != ZoneCharacter.filler }.count
    return length >= 2 ? [length - 1] : []
  }

  private static func candidate(
    _ scores: ZoneScores, _ options: CellOptions, _ layout: ZoneLayout
  ) -> Candidate? {
    var forbidden: Float = 0
    var ideal: Float = 0
    for (cell, alphabet) in layout.alphabets.enumerated() {
      let best = options.best(cell)
      ideal += best.score
      guard let permitted = options.near(cell, alphabet, .max).first else { return nil }
      forbidden += best.score - permitted.score
      guard forbidden <= mostForbidden else { return nil }
    }
    guard let open = OpenFields(layout, options) else { return nil }
    guard
      let checked = CheckedFields(layout, options, scores, issuingState: open.issuingState, kind: open.kind)
    else {
      return nil
    }
    var zone = checked.best
    open.readings.first?.write(into: &zone)
    func lines(_ zone: [Int]) -> [String] {
      stride(from: 0, to: zone.count, by: layout.columns).map { start in
        String(decoding: zone[start..<(start + layout.columns)].map(ZoneCharacter.ascii), as: UTF8.self)
      }
    }
    func deviation(_ zone: [Int]) -> Float {
      var corrections: [Int: Float] = [:]
      for (cell, character) in zone.enumerated() {
        let best = options.best(cell)
        let pair = best.character * ZoneCharacter.count + character
        corrections[pair] = max(corrections[pair] ?? 0, best.score - scores.value(cell, character))
      }
      return corrections.values.reduce(0, +)
    }
    // Each reading of the one part with each of the other one.
    var readings: [(zone: [Int], cost: Float)] = []
    for (reading, cost) in [(zone: checked.best, cost: Float(0))] + checked.others.prefix(kept) {
      for change in open.readings {
        var other = reading
        change.write(into: &other)
        readings.append((other, cost + change.cost))
      }
    }
    readings.sort { $0.cost < $1.cost }
    let correction = zone.enumerated().reduce(ideal) { $0 - scores.value($1.offset, $1.element) }
    return Candidate(
      lines: lines(zone), layout: layout, correction: correction, margin: checked.margin,
      uncheckedMargin: open.margin, score: checked.score + open.score,
      readings: readings.prefix(kept).map { zone, cost in
        Reading(lines: lines(zone), layout: layout, deviation: deviation(zone), cost: cost)
      })
  }
}
