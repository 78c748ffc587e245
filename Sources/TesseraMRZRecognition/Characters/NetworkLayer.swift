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
    for row in 0..<outputSide {
      for column in 0..<outputSide {
        let window = input[(row * 2 * side + column * 2) * channels..<input.endIndex]
        for group in 0..<groups {
          let sum = sum(
            group, UnsafeBufferPointer(rebasing: window), kernel, of: kernel * channels, every: side * channels)
          store(sum, to: output, at: (row * outputSide + column) * groups * 8 + group * 8, rectify: true)
        }
      }
    }
  }

  func multiply(_ input: UnsafeBufferPointer<Float>, to output: UnsafeMutableBufferPointer<Float>, rectify: Bool) {
    for group in 0..<groups {
      store(sum(group, input, 1, of: inputs, every: 0), to: output, at: group * 8, rectify: rectify)
    }
  }

  /// The weighted sums of a group, over as many rows of the input.
  ///
  /// Eight variables in place of a vector: with optimisation both are as fast; without it, as in the tests, the operators
  /// of `SIMD8` take twenty times as long.
  @inline(__always)
  private func sum(
    _ group: Int, _ input: UnsafeBufferPointer<Float>, _ rows: Int, of length: Int, every stride: Int
  ) -> SIMD8<Float> {
    let bias = biases[group]
    var (s0, s1, s2, s3) = (bias[0], bias[1], bias[2], bias[3])
    var (s4, s5, s6, s7) = (bias[4], bias[5], bias[6], bias[7])
    weights.withUnsafeBytes { weights in
      let step = groups * 8
      guard var weight = weights.assumingMemoryBound(to: Float.self).baseAddress?.advanced(by: group * 8) else {
        return
      }
      for row in 0..<rows {
        for index in row * stride..<row * stride + length {
          let value = input[index]
          s0 += weight[0] * value
          s1 += weight[1] * value
          s2 += weight[2] * value
          s3 += weight[3] * value
          s4 += weight[4] * value
          s5 += weight[5] * value
          s6 += weight[6] * value
          s7 += weight[7] * value
          weight += step
        }
      }
    }
    return SIMD8(s0, s1, s2, s3, s4, s5, s6, s7)
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
