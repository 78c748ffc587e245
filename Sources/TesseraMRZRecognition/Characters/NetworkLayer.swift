/// The weights of one layer of a `CharacterNetwork`, arranged so that eight outputs are computed at a time.
struct NetworkLayer: Sendable {
  private let inputs: Int
  /// Groups of eight outputs.
  private let groups: Int
  /// For each input, one vector a group.
  private let weights: [SIMD8<Float>]
  private let biases: [SIMD8<Float>]

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

/// Reads the file of a `CharacterNetwork`'s weights.
struct WeightReader {
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
