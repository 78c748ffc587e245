import Glibc
internal import TesseraPictures

/// Reads one character of OCR-B: a small convolutional network.
///
/// Input: 24 x 24 values of a `LineStrip` around the character's centre. Layers: 8 convolutions of 5 x 5 and 24 of
/// 3 x 3, both in steps of 2; 64 units; 38 outputs (`ZoneCharacter`).
struct CharacterNetwork: Sendable {
  /// The side of the input, in rows and columns.
  static let window = 24

  private let first: NetworkLayer
  private let second: NetworkLayer
  private let third: NetworkLayer
  private let last: NetworkLayer

  init?(_ reader: inout WeightReader) {
    guard reader.magic("OCRBNET1"), let first = NetworkLayer(&reader, inputs: 25, outputs: 8),
      let second = NetworkLayer(&reader, inputs: 72, outputs: 24),
      let third = NetworkLayer(&reader, inputs: 384, outputs: 64),
      let last = NetworkLayer(&reader, inputs: 64, outputs: ZoneCharacter.count)
    else { return nil }
    self.first = first
    self.second = second
    self.third = third
    self.last = last
  }

  /// The logarithms of the probabilities of all characters at a column of a strip. Columns outside of the strip count
  /// as surroundings (0).
  func logProbabilities(_ strip: LineStrip, column: Int) -> [Float] {
    var probabilities = [Float](repeating: 0, count: ZoneCharacter.count)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 576 + 800 + 384 + 64 + 40) { memory in
      // What the layers compute shows the document.
      defer { if let start = memory.baseAddress { explicit_bzero(start, memory.count * MemoryLayout<Float>.stride) } }
      let input = UnsafeMutableBufferPointer(rebasing: memory[..<576])
      let one = UnsafeMutableBufferPointer(rebasing: memory[576..<1376])
      let two = UnsafeMutableBufferPointer(rebasing: memory[1376..<1760])
      let three = UnsafeMutableBufferPointer(rebasing: memory[1760..<1824])
      let four = UnsafeMutableBufferPointer(rebasing: memory[1824...])
      copy(strip, column, to: input)
      for row in 0..<10 {
        first.apply(
          .init(runs: 5, length: 5, stride: 24, step: 2), to: UnsafeBufferPointer(rebasing: input[(row * 48)...]),
          positions: 10, into: UnsafeMutableBufferPointer(rebasing: one[(row * 80)...]), rectify: true)
      }
      for row in 0..<4 {
        second.apply(
          .init(runs: 3, length: 24, stride: 80, step: 16), to: UnsafeBufferPointer(rebasing: one[(row * 160)...]),
          positions: 4, into: UnsafeMutableBufferPointer(rebasing: two[(row * 96)...]), rectify: true)
      }
      third.apply(.init(length: 384), to: UnsafeBufferPointer(two), positions: 1, into: three, rectify: true)
      last.apply(.init(length: 64), to: UnsafeBufferPointer(three), positions: 1, into: four, rectify: false)
      probabilities.withUnsafeMutableBufferPointer {
        ZoneCharacter.addProbabilities(of: UnsafeBufferPointer(four), to: $0)
      }
    }
    return probabilities.map { max(log($0), -30) }
  }

  private func copy(_ strip: LineStrip, _ column: Int, to input: UnsafeMutableBufferPointer<Float>) {
    let left = column - Self.window / 2
    strip.values.withElements { values in
      for row in 0..<Self.window {
        for offset in 0..<Self.window {
          let x = left + offset
          input[row * Self.window + offset] =
            x >= 0 && x < strip.columns ? values[row * strip.columns + x] : 0
        }
      }
    }
  }
}
