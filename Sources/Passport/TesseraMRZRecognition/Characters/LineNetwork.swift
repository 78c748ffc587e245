internal import TesseraPictures

/// Reads a whole line of OCR-B: a convolutional network that sees each character with its neighbours.
///
/// Input: the 24 rows of a `LineStrip`, from 20 columns before the first place to 20 after the last one, so that each
/// place is 20 columns and the line has one empty place at both ends. Layers, each but the last one rectified:
///
/// 1. 16 convolutions of 5 x 5, in steps of 2: 12 rows, 10 columns a place.
/// 2. 24 of 3 x 3, in steps of 2: 6 rows, 5 columns a place.
/// 3. 32 of 3 x 3, in steps of 2 rows and 1 column: 3 rows.
/// 4. 64 of 3 rows and 5 columns: one position a place.
/// 5. Four times 64 of 3 places at distances of 1, 2, 4 and 8, added to what they see.
/// 6. 38 outputs a place (`ZoneCharacter`).
struct LineNetwork: Sendable {
  /// The columns of the strip that the network reads at both sides of the centre of a place.
  static let margin = LineStrip.pitch * 3 / 2
  private static let distances = [1, 2, 4, 8]

  private let first: NetworkLayer
  private let second: NetworkLayer
  private let third: NetworkLayer
  private let fourth: NetworkLayer
  private let context: [NetworkLayer]
  private let last: NetworkLayer

  init?(_ reader: inout WeightReader) {
    guard reader.magic("OCRBLIN1"), let first = NetworkLayer(&reader, inputs: 25, outputs: 16),
      let second = NetworkLayer(&reader, inputs: 9 * 16, outputs: 24),
      let third = NetworkLayer(&reader, inputs: 9 * 24, outputs: 32),
      let fourth = NetworkLayer(&reader, inputs: 15 * 32, outputs: 64)
    else { return nil }
    var context: [NetworkLayer] = []
    for _ in Self.distances {
      guard let layer = NetworkLayer(&reader, inputs: 3 * 64, outputs: 64) else { return nil }
      context.append(layer)
    }
    guard let last = NetworkLayer(&reader, inputs: 64, outputs: ZoneCharacter.count) else { return nil }
    (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
    (self.context, self.last) = (context, last)
  }

  /// Adds the probabilities of all characters at places of a line.
  ///
  /// - Parameters:
  ///   - center: the column of the first place's centre. Columns outside of the strip count as surroundings (0).
  ///   - places: at least one.
  ///   - probabilities: `ZoneCharacter.count` values a place.
  func addProbabilities(
    _ strip: LineStrip, center: Int, places: Int, to probabilities: UnsafeMutableBufferPointer<Float>
  ) {
    let columns = (places + 2) * LineStrip.pitch
    let input = NetworkMap(rows: LineStrip.rows, columns: columns, channels: 1, margins: (2, 2)) { start, memory in
      strip.values.withElements { values in
        for row in 0..<LineStrip.rows {
          let start = start(row)
          for offset in 0..<columns {
            let column = center - Self.margin + offset
            if column >= 0, column < strip.columns { memory[start + offset] = values[row * strip.columns + column] }
          }
        }
      }
    }
    var map = input.convolved(by: first, kernel: (5, 5), steps: (2, 2), margins: (1, 1))
    map = map.convolved(by: second, kernel: (3, 3), steps: (2, 2), margins: (1, 1))
    map = map.convolved(by: third, kernel: (3, 3), steps: (2, 1), margins: (0, 0))
    map = map.convolved(by: fourth, kernel: (3, 5), steps: (1, 5), margins: (0, Self.distances.max() ?? 0))
    for (layer, distance) in zip(context, Self.distances) { map = map.withContext(layer, distance: distance) }
    let scores = map.sums(last)
    for place in 0..<places {
      // The first column is the empty place before the line.
      scores.withChannels(place + 1) { scores in
        ZoneCharacter.addProbabilities(
          of: scores, to: UnsafeMutableBufferPointer(rebasing: probabilities[(place * ZoneCharacter.count)...]))
      }
    }
  }
}
