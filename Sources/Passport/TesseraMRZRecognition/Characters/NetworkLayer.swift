/// The weights of one layer of a network, arranged so that eight outputs are computed at a time.
struct NetworkLayer: Sendable {
  /// The inputs of an output: as many runs of values that lie one after another.
  struct Window {
    /// The number of runs.
    var runs = 1
    /// The values of a run.
    let length: Int
    /// The distance from the start of one run to the start of the next.
    var stride = 0
    /// The distance from the window of one position to that of the next.
    var step = 0
  }

  private let inputs: Int
  /// Groups of eight outputs.
  private let groups: Int
  /// For each group, eight weights an input.
  private let weights: [Float]
  private let biases: [Float]

  /// The number of values that `apply` writes for a position: the outputs, and zeros up to a multiple of eight.
  var channels: Int { groups * 8 }

  /// Reads the scales, the weights and the biases of a layer; nil if they are damaged.
  init?(_ reader: inout WeightReader, inputs: Int, outputs: Int) {
    guard let scales = reader.floats(outputs), let rows = reader.signedBytes(inputs * outputs),
      let offsets = reader.floats(outputs)
    else { return nil }
    self.inputs = inputs
    groups = (outputs + 7) / 8
    var weights = [Float](repeating: 0, count: inputs * groups * 8)
    for output in 0..<outputs {
      let first = output / 8 * inputs * 8 + output % 8
      for input in 0..<inputs { weights[first + input * 8] = Float(rows[output * inputs + input]) * scales[output] }
    }
    self.weights = weights
    biases = offsets + [Float](repeating: 0, count: groups * 8 - outputs)
  }

  /// The weighted sums at several positions, ordered by position, then output.
  ///
  /// - Parameters:
  ///   - input: from the first value of the first position's window.
  ///   - output: `channels` values a position.
  ///   - rectify: whether negative sums become zero.
  func apply(
    _ window: Window, to input: UnsafeBufferPointer<Float>, positions: Int,
    into output: UnsafeMutableBufferPointer<Float>, rectify: Bool
  ) {
    // These checks stand for all accesses below, which have none.
    let end = (positions - 1) * window.step + (window.runs - 1) * window.stride + window.length
    precondition(positions > 0 && window.runs * window.length == inputs)
    precondition(end <= input.count && positions * channels <= output.count)
    guard let input = input.baseAddress, let output = output.baseAddress else { return }
    weights.withUnsafeBufferPointer { weights in
      biases.withUnsafeBufferPointer { biases in
        guard let weights = weights.baseAddress, let biases = biases.baseAddress else { return }
        for group in 0..<groups {
          let (weights, biases) = (weights + group * inputs * 8, biases + group * 8)
          var position = 0
          while position + 4 <= positions {
            sumFour(
              window, input + position * window.step, weights, biases, output + position * channels + group * 8)
            position += 4
          }
          while position < positions {
            sumOne(window, input + position * window.step, weights, biases, output + position * channels + group * 8)
            position += 1
          }
        }
      }
    }
    guard rectify else { return }
    for index in 0..<positions * channels {
      let value = output[index]
      output[index] = value < 0 ? 0 : value
    }
  }

  /// The sums of a group at one position.
  ///
  /// Eight variables in place of a vector: with optimisation both are as fast; without it, as in the tests, the operators
  /// of `SIMD8` take twenty times as long.
  private func sumOne(
    _ window: Window, _ input: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ biases: UnsafePointer<Float>,
    _ output: UnsafeMutablePointer<Float>
  ) {
    var (a0, a1, a2, a3) = (biases[0], biases[1], biases[2], biases[3])
    var (a4, a5, a6, a7) = (biases[4], biases[5], biases[6], biases[7])
    var w = weights
    for run in 0..<window.runs {
      let values = input + run * window.stride
      for index in 0..<window.length {
        let value = values[index]
        a0 += w[0] * value
        a1 += w[1] * value
        a2 += w[2] * value
        a3 += w[3] * value
        a4 += w[4] * value
        a5 += w[5] * value
        a6 += w[6] * value
        a7 += w[7] * value
        w += 8
      }
    }
    (output[0], output[1], output[2], output[3]) = (a0, a1, a2, a3)
    (output[4], output[5], output[6], output[7]) = (a4, a5, a6, a7)
  }

  /// The sums of a group at four positions: each weight is loaded once for them, and the processor has enough sums to
  /// work on while it waits for others.
  private func sumFour(
    _ window: Window, _ input: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ biases: UnsafePointer<Float>,
    _ output: UnsafeMutablePointer<Float>
  ) {
    var (a0, a1, a2, a3) = (biases[0], biases[1], biases[2], biases[3])
    var (a4, a5, a6, a7) = (biases[4], biases[5], biases[6], biases[7])
    var (b0, b1, b2, b3, b4, b5, b6, b7) = (a0, a1, a2, a3, a4, a5, a6, a7)
    var (c0, c1, c2, c3, c4, c5, c6, c7) = (a0, a1, a2, a3, a4, a5, a6, a7)
    var (d0, d1, d2, d3, d4, d5, d6, d7) = (a0, a1, a2, a3, a4, a5, a6, a7)
    var w = weights
    for run in 0..<window.runs {
      let first = input + run * window.stride
      let second = first + window.step
      let third = second + window.step
      let fourth = third + window.step
      for index in 0..<window.length {
        let (w0, w1, w2, w3, w4, w5, w6, w7) = (w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7])
        let (a, b, c, d) = (first[index], second[index], third[index], fourth[index])
        a0 += w0 * a
        a1 += w1 * a
        a2 += w2 * a
        a3 += w3 * a
        a4 += w4 * a
        a5 += w5 * a
        a6 += w6 * a
        a7 += w7 * a
        b0 += w0 * b
        b1 += w1 * b
        b2 += w2 * b
        b3 += w3 * b
        b4 += w4 * b
        b5 += w5 * b
        b6 += w6 * b
        b7 += w7 * b
        c0 += w0 * c
        c1 += w1 * c
        c2 += w2 * c
        c3 += w3 * c
        c4 += w4 * c
        c5 += w5 * c
        c6 += w6 * c
        c7 += w7 * c
        d0 += w0 * d
        d1 += w1 * d
        d2 += w2 * d
        d3 += w3 * d
        d4 += w4 * d
        d5 += w5 * d
        d6 += w6 * d
        d7 += w7 * d
        w += 8
      }
    }
    var o = output
    (o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]) = (a0, a1, a2, a3, a4, a5, a6, a7)
    o += channels
    (o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]) = (b0, b1, b2, b3, b4, b5, b6, b7)
    o += channels
    (o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]) = (c0, c1, c2, c3, c4, c5, c6, c7)
    o += channels
    (o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]) = (d0, d1, d2, d3, d4, d5, d6, d7)
  }
}
