import Glibc
internal import TesseraPictures

/// Reads one character of OCR-B: several small convolutional networks, trained apart, whose probabilities are averaged.
/// Where the drawing differs from what they were trained with, one network may be sure and wrong; several are seldom
/// wrong alike. `Tests/MRZRecognition` trains them and says how.
///
/// Input: 24 x 24 values of a `LineStrip` around the character's centre. Layers: 8 convolutions of 5 x 5 and 24 of
/// 3 x 3, both in steps of 2; 64 units; 38 outputs (`ZoneCharacter`).
struct CharacterNetwork: Sendable {
  /// The side of the input, in rows and columns.
  static let window = 24

  private let members: [Member]

  /// The weights of this module; nil if the file is damaged, which the tests rule out.
  static let standard = CharacterNetwork(PackageResources.ocr_b_weights)

  /// Reads a file of weights: for each network the magic `OCRBNET1`, then for each layer the scales (float32, one an
  /// output), the weights (int8, output by output) and the biases (float32), little endian.
  init?(_ file: [UInt8]) {
    var reader = WeightReader(bytes: file[...])
    var members: [Member] = []
    repeat {
      guard let member = Member(&reader) else { return nil }
      members.append(member)
    } while !reader.bytes.isEmpty
    self.members = members
  }

  private init(_ members: [Member]) { self.members = members }

  /// The first network alone, which tells well enough whether there is a character.
  var first: CharacterNetwork { CharacterNetwork(Array(members.prefix(1))) }

  /// The logarithms of the probabilities of all characters at a column of a strip. Columns outside of the strip count
  /// as surroundings (0).
  func logProbabilities(_ strip: LineStrip, column: Int) -> [Float] {
    var probabilities = [Float](repeating: 0, count: ZoneCharacter.count)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.window * Self.window) { input in
      copy(strip, column, to: input)
      for member in members { member.addProbabilities(UnsafeBufferPointer(input), to: &probabilities) }
    }
    let share = 1 / Float(members.count)
    return probabilities.map { max(log($0 * share), -30) }
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

/// One network.
private struct Member: Sendable {
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

  func addProbabilities(_ input: UnsafeBufferPointer<Float>, to probabilities: inout [Float]) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 800 + 384 + 64 + 40) { memory in
      let one = UnsafeMutableBufferPointer(rebasing: memory[..<800])
      let two = UnsafeMutableBufferPointer(rebasing: memory[800..<1184])
      let three = UnsafeMutableBufferPointer(rebasing: memory[1184..<1248])
      let four = UnsafeMutableBufferPointer(rebasing: memory[1248...])
      first.convolve(input, side: 24, channels: 1, kernel: 5, to: one, outputSide: 10)
      second.convolve(UnsafeBufferPointer(one), side: 10, channels: 8, kernel: 3, to: two, outputSide: 4)
      third.multiply(UnsafeBufferPointer(two), to: three, rectify: true)
      last.multiply(UnsafeBufferPointer(three), to: four, rectify: false)
      let outputs = four[..<ZoneCharacter.count]
      let maximum = outputs.max() ?? 0
      var total: Float = 0
      for index in outputs.indices {
        four[index] = exp(four[index] - maximum)
        total += four[index]
      }
      for (index, value) in outputs.enumerated() { probabilities[index] += value / total }
    }
  }
}
