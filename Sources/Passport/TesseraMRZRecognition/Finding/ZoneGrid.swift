import Glibc
internal import TesseraPictures

/// The place of a zone in a picture: a grid of lines and characters on a plane.
struct ZoneGrid {
  private(set) var plane: ZonePlane
  let rows: Int
  /// The number of the zone's first line on the plane: -1 if it is above the lines that the plane was fitted to.
  private let top: Int
  /// The column of the first character, on the plane.
  private(set) var firstColumn: Int
  private(set) var columns: Int
  /// The height of capitals by the distance of lines, as it appears in the picture.
  private var capitals: Float
  /// How far below the plane's line the centre of each line is, by the distance of lines.
  private var offsets: [Float]
  /// Whether there is hardly a doubt that this is a zone.
  private(set) var isClear = false

  /// Height of capitals by distance of lines, as printed (2.65 mm, 6.35 mm).
  private static let printedCapitals: Float = 2.652 / 6.35
  /// The least mean logarithm of the probability that there is a character, in each line of a zone.
  private static let leastPresence: Float = -0.6
  /// The same in a clear zone.
  private static let clearPresence: Float = -0.1
  /// The least mean logarithm of the probability of the most probable characters, in a zone, and in a clear one.
  private static let (leastClarity, clearClarity): (Float, Float) = (-0.7, -0.3)
  /// The fewest kinds of characters in each line of a zone, if they are certain, and if they are not. A pattern looks like
  /// few kinds of characters; a name of two letters has three.
  private static let (fewestKinds, fewestUncertainKinds) = (3, 7)
  private static let certainClarity: Float = -0.2

  /// The grid of a zone with these lines; nil if they are not those of one zone.
  ///
  /// - Parameter lines: two or three, from the top.
  static func of(_ lines: [CharacterLine], in picture: GrayPicture, _ network: CharacterNetwork) -> ZoneGrid? {
    if let grid = ZoneGrid(lines, rows: lines.count, top: 0, in: picture, network) { return grid }
    guard lines.count == 2 else { return nil }
    // The third line of a card, below or above, may have been lost.
    return ZoneGrid(lines, rows: 3, top: 0, in: picture, network)
      ?? ZoneGrid(lines, rows: 3, top: -1, in: picture, network)
  }

  private init?(
    _ lines: [CharacterLine], rows: Int, top: Int, in picture: GrayPicture, _ network: CharacterNetwork
  ) {
    var points: [(column: Float, row: Float, center: Point)] = []
    var range = (lines[0].first, lines[0].last)
    var shift = 0
    for (row, line) in lines.enumerated() {
      if row > 0 {
        guard let next = Self.shift(of: line, below: lines[row - 1]) else { return nil }
        shift += next
        range = (min(range.0, line.first + shift), max(range.1, line.last + shift))
      }
      points += line.characters.map { (Float($0.place + shift), Float(row), $0.center) }
    }
    guard range.1 - range.0 < 64, let all = ZonePlane(points) else { return nil }
    // Without what is no character, and those of which the box is only a part.
    let near = points.filter { point in
      let limit = 0.25 * all.down(column: point.column, row: point.row).length / 2.5
      return (all.center(column: point.column, row: point.row) - point.center).length < limit
    }
    plane = near.count > points.count / 2 ? ZonePlane(near) ?? all : all
    (self.rows, self.top) = (rows, top)
    (firstColumn, columns) = (range.0, range.1 - range.0 + 1)
    capitals = Self.printedCapitals
    offsets = Array(repeating: 0, count: rows)
    measureHeights(picture)
    guard fitFormat(picture, network) else { return nil }
  }

  /// The number that turns the places of the lower line into those of the upper one; nil if the lines do not stand one
  /// below the other at the distance of a zone.
  private static func shift(of lower: CharacterLine, below upper: CharacterLine) -> Int? {
    let middle = Float(upper.first + upper.last) / 2
    let center = upper.curve.center(at: middle)
    let direction = upper.curve.direction(at: middle)
    let pitch = direction.length
    let right = direction / pitch
    let lowerMiddle = Float(lower.first + lower.last) / 2
    let other = lower.curve.direction(at: lowerMiddle)
    let turn = (right.x * other.y - right.y * other.x) / other.length
    let along = (right.x * other.x + right.y * other.y) / other.length
    guard pitch > 1, other.length > 1, along > 0, abs(turn) < 0.2, abs(other.length / pitch - 1) < 0.25 else {
      return nil
    }
    // The place of the lower line that is straight below.
    var place = lowerMiddle
    for _ in 0..<3 {
      let step = lower.curve.center(at: place) - center
      place -= (step.x * right.x + step.y * right.y) / pitch
    }
    let step = lower.curve.center(at: place) - center
    let distance = (step.x * right.turned.x + step.y * right.turned.y) / pitch
    guard (1.5...3.6).contains(distance) else { return nil }
    let straight = middle - place
    guard abs(straight) < 1000 else { return nil }
    // Perspective slants the columns by less than one; where two shifts are possible, the ends of the lines decide.
    func misfit(_ shift: Int) -> Int { abs(lower.first + shift - upper.first) + abs(lower.last + shift - upper.last) }
    let nearest = Int(straight.rounded())
    return [nearest, nearest - 1, nearest + 1].filter { abs(Float($0) - straight) < 0.7 }.min {
      misfit($0) < misfit($1)
    }
  }

  /// Measures the height of capitals and the middle of each line, by the darkness of the rows.
  private mutating func measureHeights(_ picture: GrayPicture) {
    var heights: [Float] = []
    for row in 0..<rows {
      let profile = darkness(of: row, picture)
      guard let plateau = profile.max(), plateau > 0.05 else { continue }
      let middle = profile.count / 2
      let limit = 0.3 * plateau
      guard profile[middle] > limit,
        let top = (0..<middle).last(where: { profile[$0] < limit }),
        let bottom = (middle..<profile.count).first(where: { profile[$0] < limit })
      else { continue }
      // Between the rows on both sides of the limit.
      func edge(_ inside: Int, _ outside: Int) -> Float {
        let share = (profile[inside] - limit) / max(profile[inside] - profile[outside], 0.001)
        return Float(inside) + share * Float(outside - inside)
      }
      let (upper, lower) = (edge(top + 1, top), edge(bottom - 1, bottom))
      let step = 1 / Float(profile.count)
      let height = (lower - upper + 0.5) * step
      guard (0.75...1.3).contains(height / Self.printedCapitals) else { continue }
      heights.append(height)
      offsets[row] = ((upper + lower) / 2 + 0.5) * step - 0.5
    }
    if !heights.isEmpty { capitals = heights.reduce(0, +) / Float(heights.count) }
  }

  /// The mean darkness of 40 rows from half a line above the line's centre to half a line below it.
  private func darkness(of row: Int, _ picture: GrayPicture) -> [Float] {
    let count = 40
    var sums = [Float](repeating: 0, count: count)
    picture.withPixels { pixels in
      func luminance(_ point: Point) -> Float {
        let x = Int(max(0, min(point.x, Float(picture.width - 1))))
        let y = Int(max(0, min(point.y, Float(picture.height - 1))))
        return Float(pixels[y * picture.width + x])
      }
      let step = Float(columns) / 160
      for sample in 0..<160 {
        let column = Float(firstColumn) - 0.5 + Float(sample) * step
        let center = plane.center(column: column, row: Float(row + top))
        let down = plane.down(column: column, row: Float(row + top))
        let values = (0..<count).map { luminance(center + down * ((Float($0) + 0.5) / Float(count) - 0.5)) }
        let paper = max(values.sorted()[count * 3 / 4], 1)
        for index in 0..<count { sums[index] += max(0, paper - values[index]) / paper }
      }
    }
    let base = sums.min() ?? 0
    return sums.map { ($0 - base) / 160 }
  }

  /// Finds which columns are the zone, by the length of the lines of all formats.
  private mutating func fitFormat(_ picture: GrayPicture, _ network: CharacterNetwork) -> Bool {
    // The ends of both lines may be lost.
    let longest = rows == 3 ? 30 : columns <= 36 ? 36 : 44
    let margin = min(max(2, longest + 2 - columns), 10)
    let from = firstColumn - margin
    let count = columns + 2 * margin
    // The logarithms of the probabilities of a character, and of none.
    var present = [[Float]](repeating: Array(repeating: 0, count: count), count: rows)
    var absent = present
    // The most probable characters.
    var found: [[(character: Int, logarithm: Float)]] = []
    for row in 0..<rows {
      let strip = strip(picture, row: row, from: from, count: count)
      let best = (0..<count).map { network.best(strip, column: Self.center($0)) }
      found.append(best.map { ($0.character, $0.logarithm) })
      let contrasts = (0..<count).map { strip.contrast(at: Self.center($0)) }
      let median = contrasts.sorted()[count / 2]
      for column in 0..<count {
        // Glare takes contrast from a part of a line.
        let near = contrasts[max(0, column - 3)...min(count - 1, column + 3)].max() ?? 0
        let presence = contrasts[column] < 0.3 * min(median, near) ? 0 : best[column].presence
        present[row][column] = max(log(max(presence, 1e-4)), -5)
        absent[row][column] = max(log(max(1 - presence, 1e-4)), -5)
      }
    }
    var best: (score: Float, first: Int, length: Int)?
    for length in rows == 3 ? [30] : [44, 36] where length <= count {
      for first in 0...(count - length) {
        let places = first..<(first + length)
        var score: Float = 0
        for row in 0..<rows {
          for column in 0..<count { score += places.contains(column) ? present[row][column] : absent[row][column] }
        }
        if score > best?.score ?? -.infinity { best = (score, first, length) }
      }
    }
    guard let best else { return false }
    let places = best.first..<(best.first + best.length)
    // Each line must consist of characters, and of several kinds.
    let presence = present.map { $0[places].reduce(0, +) / Float(best.length) }.min() ?? -.infinity
    let kinds = found.map { Set($0[places].map(\.character)).count }.min() ?? 0
    var sum: Float = 0
    for line in found {
      for place in places { sum += max(line[place].logarithm, -5) }
    }
    let clarity = sum / Float(best.length * rows)
    guard presence > Self.leastPresence, clarity > Self.leastClarity,
      kinds >= (clarity > Self.certainClarity ? Self.fewestKinds : Self.fewestUncertainKinds)
    else { return false }
    isClear = presence > Self.clearPresence && clarity > Self.clearClarity
    (firstColumn, columns) = (from + best.first, best.length)
    return true
  }

  /// The scores of all characters.
  func scores(_ picture: GrayPicture, _ networks: ZoneNetworks) -> ZoneScores {
    ZoneScores(rows: rows, columns: columns) { values in
      for row in 0..<rows {
        let strip = strip(picture, row: row, from: firstColumn, count: columns)
        let scores = UnsafeMutableBufferPointer(rebasing: values[(row * columns * ZoneCharacter.count)...])
        networks.read(strip, center: Self.center(0), places: columns, into: scores)
      }
    }
  }

  /// The corners of a line, in the direction of reading from the top left: for drawing.
  func outline(row: Int) -> [Point] {
    let height = capitals * 0.75
    let row = Float(row + top) + offsets[row]
    let (left, right) = (Float(firstColumn) - 0.6, Float(firstColumn + columns) - 0.4)
    return [(left, -height), (right, -height), (right, height), (left, height)].map {
      plane.center(column: $0.0, row: row + $0.1)
    }
  }

  private static let margin = 2 * LineStrip.pitch + CharacterNetwork.window / 2
  private static func center(_ column: Int) -> Int { margin + column * LineStrip.pitch }

  private func strip(_ picture: GrayPicture, row: Int, from: Int, count: Int) -> LineStrip {
    let middle = Float(row + top) + offsets[row]
    return LineStrip(
      picture,
      (0..<((count - 1) * LineStrip.pitch + 2 * Self.margin)).map { index in
        let column = Float(from) + (Float(index - Self.margin) + 0.5) / Float(LineStrip.pitch)
        let down = plane.down(column: column, row: middle) * (capitals / LineStrip.capitals)
        return LineStrip.Column(center: plane.center(column: column, row: middle), down: down)
      })
  }
}
