import Glibc

/// The networks that find and read zones, as the file of weights holds them. `Tests/Passport/MRZRecognition` trains them and says
/// how.
struct ZoneNetworks: Sendable {
  /// Tells whether there is a character, and which it may be: fast, for the search of lines.
  let finder: CharacterNetwork
  /// Read a line that was found. Where there are several, which were trained apart, their probabilities are averaged:
  /// one may be sure and wrong where several are seldom wrong alike.
  let lines: [LineNetwork]

  /// The weights of this module; nil if the file is damaged, which the tests rule out.
  static let standard = ZoneNetworks(PackageResources.ocr_b_weights)

  /// Reads a file of weights: the record of the finder, then one or more of line networks.
  init?(_ file: [UInt8]) {
    var reader = WeightReader(bytes: file[...])
    guard let finder = CharacterNetwork(&reader) else { return nil }
    var lines: [LineNetwork] = []
    repeat {
      guard let line = LineNetwork(&reader) else { return nil }
      lines.append(line)
    } while !reader.bytes.isEmpty
    self.finder = finder
    self.lines = lines
  }

  /// Writes the logarithms of the probabilities of all characters at places of a line, place by place.
  ///
  /// - Parameters:
  ///   - center: the column of the first place's centre; `LineNetwork.margin` says how many columns the strip has on both
  ///     sides of a place at the least.
  ///   - places: at least one.
  ///   - logarithms: `ZoneCharacter.count` values a place.
  func read(
    _ strip: LineStrip, center: Int, places: Int, into logarithms: UnsafeMutableBufferPointer<Float>
  ) {
    let count = places * ZoneCharacter.count
    for index in 0..<count { logarithms[index] = 0 }
    for line in lines { line.addProbabilities(strip, center: center, places: places, to: logarithms) }
    let share = 1 / Float(lines.count)
    for index in 0..<count { logarithms[index] = max(log(logarithms[index] * share), -30) }
  }
}

/// Reads a file of weights from its start.
struct WeightReader {
  var bytes: ArraySlice<UInt8>

  mutating func magic(_ text: String) -> Bool {
    guard bytes.starts(with: text.utf8) else { return false }
    bytes.removeFirst(text.utf8.count)
    return true
  }

  /// Little endian; nil if there are fewer, or if one is not finite.
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
