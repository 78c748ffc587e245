import Glibc
internal import TesseraPictures

/// A line of characters of OCR-B in a picture, in the direction of reading.
struct CharacterLine {
  /// A character that the network recognised as one.
  struct Character {
    var place: Int
    var center: Point
  }

  private(set) var curve: LineCurve
  /// In the order of reading; places between may be empty.
  private(set) var characters: [Character]

  /// Height of capitals by distance of characters, as printed (2.65 mm, the mean of letters and digits; ten characters an inch).
  static let capitalsPerPitch: Float = 2.652 / 2.54
  /// Longer lines than those of any document are patterns.
  private static let longest = 54
  /// The share of the line's contrast below which there is no character.
  private static let leastContrast: Float = 0.3

  var first: Int { characters.first?.place ?? 0 }
  var last: Int { characters.last?.place ?? 0 }

  /// nil if the chain is not text in OCR-B, in either direction.
  init?(_ chain: CharacterChain, in picture: GrayPicture, _ network: CharacterNetwork) {
    let characters = chain.members.map { Character(place: $0.place, center: $0.center) }
    let turned = characters.reversed().map { Character(place: -$0.place, center: $0.center) }
    let directions = [characters, Array(turned)].compactMap { Self.scored($0, picture, network) }
    guard let best = directions.max(by: { $0.score < $1.score }), best.score > 0.3 else { return nil }
    (self.characters, curve) = (best.characters, best.curve)
    follow(picture, network)
    trim(picture, network)
    guard self.characters.count >= 12, last - first < Self.longest else { return nil }
  }

  /// Whether both are about the same characters.
  func coincides(with other: CharacterLine) -> Bool {
    let middle = Float(first + last) / 2
    let center = curve.center(at: middle)
    let direction = curve.direction(at: middle)
    let pitch = direction.length
    guard pitch > 0 else { return true }
    // The place of the other line next to the middle of this one.
    var place = Float(other.first + other.last) / 2
    for _ in 0..<3 {
      let step = other.curve.center(at: place) - center
      place -= (step.x * direction.x + step.y * direction.y) / (pitch * pitch)
    }
    return (other.curve.center(at: place) - center).length < pitch
  }

  /// The mean probability of the most probable character at some places of a line; 0 for a line of one
  /// character, which is a pattern.
  private static func scored(
    _ characters: [Character], _ picture: GrayPicture, _ network: CharacterNetwork
  ) -> (characters: [Character], curve: LineCurve, score: Float)? {
    guard let curve = LineCurve(characters.map { (Float($0.place), $0.center) }) else { return nil }
    let step = max(1, characters.count / 8)
    let samples = stride(from: step / 2, to: characters.count, by: step).map { characters[$0].place }
    var sum: Float = 0
    var kinds: Set<Int> = []
    for place in samples {
      let (strip, center) = Self.strip(picture, curve, from: place, through: place)
      let scores = network.logProbabilities(strip, column: center(place))
      guard let best = (0..<ZoneCharacter.none).max(by: { scores[$0] < scores[$1] }) else { continue }
      kinds.insert(best)
      sum += exp(scores[best])
    }
    return (characters, curve, kinds.count > 1 ? sum / Float(samples.count) : 0)
  }

  /// The probability that a character has its centre at a place.
  private static func presence(_ logProbabilities: [Float]) -> Float { 1 - exp(logProbabilities[ZoneCharacter.none]) }

  /// Adds characters at both ends for as long as the network finds more.
  private mutating func follow(_ picture: GrayPicture, _ network: CharacterNetwork) {
    for _ in 0..<10 where characters.count < Self.longest {
      let count = characters.count
      let reach = 6
      let (strip, center) = Self.strip(picture, curve, from: first - reach, through: last + reach)
      let contrasts = characters.map { strip.contrast(at: center($0.place)) }.sorted()
      let least = contrasts[contrasts.count / 2] * Self.leastContrast
      extend(picture, strip, center, network, least, places: Array((last + 1)...(last + reach)))
      extend(picture, strip, center, network, least, places: (first - reach..<first).reversed())
      guard characters.count > count,
        let curve = LineCurve(characters.map { (Float($0.place), $0.center) })
      else { return }
      self.curve = curve
    }
  }

  private mutating func extend(
    _ picture: GrayPicture, _ strip: LineStrip, _ center: (Int) -> Int, _ network: CharacterNetwork,
    _ leastContrast: Float, places: [Int]
  ) {
    var drift = 0
    var misses = 0
    for place in places {
      // What is outside of the picture is unknown.
      guard picture.contains(curve.center(at: Float(place))) else { return }
      let tries = [0, -4, 4].map { offset in
        (
          offset: drift + offset,
          presence: Self.presence(network.logProbabilities(strip, column: center(place) + drift + offset))
        )
      }
      guard let best = tries.max(by: { $0.presence < $1.presence }), best.presence > 0.5,
        strip.contrast(at: center(place) + best.offset) >= leastContrast
      else {
        misses += 1
        if misses == 2 { return }
        continue
      }
      misses = 0
      drift = best.offset
      let shifted = Float(place) + Float(drift) / Float(LineStrip.pitch)
      let character = Character(place: place, center: curve.center(at: shifted))
      if place > last { characters.append(character) } else { characters.insert(character, at: 0) }
    }
  }

  /// Removes what is no character from both ends.
  private mutating func trim(_ picture: GrayPicture, _ network: CharacterNetwork) {
    let (strip, center) = Self.strip(picture, curve, from: first, through: last)
    func isPresent(_ character: Character) -> Bool {
      Self.presence(network.logProbabilities(strip, column: center(character.place))) > 0.3
    }
    while let character = characters.last, !isPresent(character) { characters.removeLast() }
    while let character = characters.first, !isPresent(character) { characters.removeFirst() }
  }

  /// The part of the picture around places of a curve, and the column of each place.
  private static func strip(
    _ picture: GrayPicture, _ curve: LineCurve, from: Int, through: Int
  ) -> (LineStrip, (Int) -> Int) {
    let margin = 2 * LineStrip.pitch + CharacterNetwork.window / 2
    let columns = (0..<((through - from) * LineStrip.pitch + 2 * margin)).map { column in
      let place = Float(from) + (Float(column - margin) + 0.5) / Float(LineStrip.pitch)
      let direction = curve.direction(at: place)
      let down = direction.turned * (capitalsPerPitch / LineStrip.capitals)
      return LineStrip.Column(center: curve.center(at: place), down: down)
    }
    return (LineStrip(picture, columns), { margin + ($0 - from) * LineStrip.pitch })
  }
}
