import Glibc
internal import TesseraPictures

/// A small convolutional network that reads one character of OCR-B. `Tests/MRZRecognition` trains it and says how.
///
/// Input: 24 x 24 values of a `LineStrip` around the character's centre. Layers: 8 convolutions of 5 x 5 and 24 of
/// 3 x 3, both in steps of 2; 64 units; 38 outputs (`ZoneCharacter`).
struct CharacterNetwork: Sendable {
  /// The side of the input, in rows and columns.
  static let window = 24

  private let first: Layer
  private let second: Layer
  private let third: Layer
  private let last: Layer

  /// The weights of this module; nil if the file is damaged, which the tests rule out.
  static let standard = CharacterNetwork(PackageResources.ocr_b_weights)

  /// Reads a file of weights: the magic `OCRBNET1`, then for each layer the scales (float32, one an output), the weights
  /// (int8, output by output) and the biases (float32), little endian.
  init?(_ file: [UInt8]) {
    var reader = WeightReader(bytes: file[...])
    guard reader.magic("OCRBNET1"), let first = Layer(&reader, inputs: 25, outputs: 8),
      let second = Layer(&reader, inputs: 72, outputs: 24), let third = Layer(&reader, inputs: 384, outputs: 64),
      let last = Layer(&reader, inputs: 64, outputs: ZoneCharacter.count), reader.bytes.isEmpty
    else { return nil }
    self.first = first
    self.second = second
    self.third = third
    self.last = last
  }

  /// The logarithms of the probabilities of all characters at a column of a strip. Columns outside of the strip count
  /// as surroundings (0).
  func logProbabilities(_ strip: LineStrip, column: Int) -> [Float] {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 576 + 800 + 384 + 64 + 40) { memory in
      let input = UnsafeMutableBufferPointer(rebasing: memory[..<576])
      let one = UnsafeMutableBufferPointer(rebasing: memory[576..<1376])
      let two = UnsafeMutableBufferPointer(rebasing: memory[1376..<1760])
      let three = UnsafeMutableBufferPointer(rebasing: memory[1760..<1824])
      let four = UnsafeMutableBufferPointer(rebasing: memory[1824...])
      copy(strip, column, to: input)
      first.convolve(UnsafeBufferPointer(input), side: 24, channels: 1, kernel: 5, to: one, outputSide: 10)
      second.convolve(UnsafeBufferPointer(one), side: 10, channels: 8, kernel: 3, to: two, outputSide: 4)
      third.multiply(UnsafeBufferPointer(two), to: three, rectify: true)
      last.multiply(UnsafeBufferPointer(three), to: four, rectify: false)
      let outputs = four[..<ZoneCharacter.count]
      let maximum = outputs.max() ?? 0
      let total = outputs.reduce(0) { $0 + exp($1 - maximum) }
      let normalizer = maximum + log(total)
      return outputs.map { max($0 - normalizer, -30) }
    }
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

/// Weights of one layer, arranged so that eight outputs are computed at a time.
private struct Layer: Sendable {
  let inputs: Int
  /// Groups of eight outputs.
  let groups: Int
  /// For each input, one vector a group.
  let weights: [SIMD8<Float>]
  let biases: [SIMD8<Float>]

  init?(_ reader: inout WeightReader, inputs: Int, outputs: Int) {
    guard let scales = reader.floats(outputs), let rows = reader.signedBytes(inputs * outputs),
      let offsets = reader.floats(outputs)
    else { return nil }
    self.inputs = inputs
    groups = (outputs + 7) / 8
    var weights = [SIMD8<Float>](repeating: .zero, count: inputs * groups)
    var biases = [SIMD8<Float>](repeating: .zero, count: groups)
    for output in 0..<outputs {
      biases[output / 8][output % 8] = offsets[output]
      for input in 0..<inputs {
        weights[input * groups + output / 8][output % 8] = Float(rows[output * inputs + input]) * scales[output]
      }
    }
    self.weights = weights
    self.biases = biases
  }

  /// A convolution in steps of two without margins, rectified. Values are ordered by row, column, channel.
  func convolve(
    _ input: UnsafeBufferPointer<Float>, side: Int, channels: Int, kernel: Int,
    to output: UnsafeMutableBufferPointer<Float>, outputSide: Int
  ) {
    weights.withUnsafeBufferPointer { weights in
      for row in 0..<outputSide {
        for column in 0..<outputSide {
          for group in 0..<groups {
            var sum = biases[group]
            var index = group
            for y in 0..<kernel {
              let start = ((row * 2 + y) * side + column * 2) * channels
              for offset in 0..<(kernel * channels) {
                sum += weights[index] * input[start + offset]
                index += groups
              }
            }
            store(sum, to: output, at: (row * outputSide + column) * groups * 8 + group * 8, rectify: true)
          }
        }
      }
    }
  }

  func multiply(_ input: UnsafeBufferPointer<Float>, to output: UnsafeMutableBufferPointer<Float>, rectify: Bool) {
    weights.withUnsafeBufferPointer { weights in
      for group in 0..<groups {
        var sum = biases[group]
        for index in 0..<inputs { sum += weights[index * groups + group] * input[index] }
        store(sum, to: output, at: group * 8, rectify: rectify)
      }
    }
  }

  private func store(
    _ sum: SIMD8<Float>, to output: UnsafeMutableBufferPointer<Float>, at index: Int, rectify: Bool
  ) {
    let values = rectify ? sum.replacing(with: 0, where: sum .< 0) : sum
    for lane in 0..<8 { output[index + lane] = values[lane] }
  }
}

/// Reads the file of weights.
private struct WeightReader {
  var bytes: ArraySlice<UInt8>

  mutating func magic(_ text: String) -> Bool {
    guard bytes.starts(with: text.utf8) else { return false }
    bytes.removeFirst(text.utf8.count)
    return true
  }

  mutating func floats(_ count: Int) -> [Float]? {
    guard bytes.count >= count * 4 else { return nil }
    defer { bytes.removeFirst(count * 4) }
    let start = bytes.startIndex
    let values = (0..<count).map { index in
      Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[start + index * 4 + $1]) << (8 * UInt32($1)) })
    }
    return values.allSatisfy(\.isFinite) ? values : nil
  }

  mutating func signedBytes(_ count: Int) -> [Int8]? {
    guard bytes.count >= count else { return nil }
    defer { bytes.removeFirst(count) }
    return bytes.prefix(count).map { Int8(bitPattern: $0) }
  }
}
