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
  /// The sum of the probabilities of the chain's characters.
  let score: Float

  /// Height of capitals by distance of characters, as printed (2.65 mm, the mean of letters and digits; ten characters an inch).
  static let capitalsPerPitch: Float = 2.652 / 2.54
  /// No line is followed over more places. The longest have 44 characters.
  private static let longest = 46
  private static let longestLine = 44
  /// How many members of a longer chain are looked at together.
  private static let part = 32
  /// The share of the line's contrast below which there is no character.
  private static let leastContrast: Float = 0.3
  /// The least sum of the probabilities of six characters of a chain that may be a line: a third of them may be enough, as
  /// a pattern may continue a line.
  private static let leastLook: Float = 2
  /// The fewest kinds of characters in a part of a line. A pattern looks like one character, or two that alternate.
  private static let fewestKinds = 3

  var first: Int { characters.first?.place ?? 0 }
  var last: Int { characters.last?.place ?? 0 }

  /// nil if no part of the chain is text in OCR-B, in either direction.
  init?(_ chain: CharacterChain, in picture: GrayPicture, _ network: CharacterNetwork) {
    let all = chain.members.map { Character(place: $0.place, center: $0.center) }
    // A pattern goes on after a line or before it, and bends off: each part is looked at alone.
    let parts = all.count > Self.longestLine ? [Array(all.prefix(Self.part)), Array(all.suffix(Self.part))] : [all]
    let runs = parts.flatMap { Self.runs(of: $0, picture, network) }
    guard let best = runs.max(by: { $0.score < $1.score }) else { return nil }
    (characters, self.curve, score) = (best.characters, best.curve, best.score)
    follow(picture, network, contrast: best.contrast)
    guard characters.count >= 12 else { return nil }
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

  /// Whether a chain stands where another line of this line's zone would be.
  func isBeside(_ chain: CharacterChain) -> Bool {
    guard let start = chain.members.first?.center, let end = chain.members.last?.center else { return false }
    let middle = Float(first + last) / 2
    let direction = curve.direction(at: middle)
    let pitch = direction.length
    let step = chain.step
    guard pitch > 1, step.length > 1, step.length < 1.35 * pitch, pitch < 1.35 * step.length else { return false }
    let right = direction / pitch
    let turn = (right.x * step.y - right.y * step.x) / step.length
    let offset = ((start + end) / 2 - curve.center(at: middle)) / pitch
    let along = offset.x * right.x + offset.y * right.y
    let across = offset.x * right.turned.x + offset.y * right.turned.y
    return abs(turn) < 0.2 && (1.5...6.5).contains(abs(across)) && abs(along) < 30
  }

  private static func curve(_ characters: [Character]) -> LineCurve? {
    LineCurve(characters.map { (Float($0.place), $0.center) })
  }

  /// The lines that some characters may be a part of, in both directions.
  private static func runs(of forward: [Character], _ picture: GrayPicture, _ network: CharacterNetwork) -> [Run] {
    guard let curve = curve(forward) else { return [] }
    let look = look(forward, curve, picture, network)
    let likely = max(look.forward, look.backward)
    let backward = Array(forward.reversed().map { Character(place: -$0.place, center: $0.center) })
    return [(look.forward, forward), (look.backward, backward)].compactMap { sum, characters in
      sum > leastLook && sum > 0.6 * likely ? run(of: characters, picture, network) : nil
    }
  }

  /// The sums of the probabilities of the most probable characters of six, two at each of three spots, in both directions.
  private static func look(
    _ characters: [Character], _ curve: LineCurve, _ picture: GrayPicture, _ network: CharacterNetwork
  ) -> (forward: Float, backward: Float) {
    var sums: (forward: Float, backward: Float) = (0, 0)
    for spot in [1, 3, 5] {
      let places = characters[(characters.count * spot / 6)...].prefix(2).map(\.place)
      guard let first = places.first, let last = places.last else { continue }
      let (strip, center) = strip(picture, curve, from: first, through: last)
      let turned = strip.turned
      for place in places {
        sums.forward += exp(network.best(strip, column: center(place)).logarithm)
        sums.backward += exp(network.best(turned, column: strip.columns - center(place)).logarithm)
      }
    }
    return sums
  }

  private typealias Run = (characters: [Character], curve: LineCurve, score: Float, contrast: Float)

  /// The longest part of a chain that consists of characters; nil if it is short, or if the characters are alike.
  private static func run(
    of characters: [Character], _ picture: GrayPicture, _ network: CharacterNetwork
  ) -> Run? {
    guard let curve = curve(characters), let first = characters.first?.place, let last = characters.last?.place else {
      return nil
    }
    let (strip, center) = strip(picture, curve, from: first, through: last)
    let found = characters.map { network.best(strip, column: center($0.place)) }
    // A zone has no empty places: three in a row outweigh some characters beyond them, which are not the zone's.
    var losses = [Float](repeating: 0, count: characters.count)
    for index in characters.indices.dropFirst() {
      for place in characters[index - 1].place + 1..<max(characters[index].place, characters[index - 1].place + 1)
      where network.best(strip, column: center(place)).presence < 0.4 { losses[index] += 1.5 }
    }
    let gains = found.map { $0.presence - 0.4 }
    guard let present = longestRun(of: gains, losses, in: gains.indices) else { return nil }
    // A pattern that continues the line may look like characters, but not as clear as they are.
    let median = found[present].map(\.logarithm).sorted()[present.count / 2]
    let clarities = found.map { min(max($0.logarithm - median + 0.7, -1.5), 0.7) }
    guard let clear = longestRun(of: clarities, losses.map { _ in 0 }, in: present),
      Set(found[clear].map(\.character)).count >= fewestKinds, let curve = Self.curve(Array(characters[clear]))
    else { return nil }
    let contrasts = characters[clear].map { strip.contrast(at: center($0.place)) }.sorted()
    return (
      Array(characters[clear]), curve, found[clear].reduce(0) { $0 + exp($1.logarithm) }, contrasts[contrasts.count / 2]
    )
  }

  /// The part of a range with the greatest sum, less what is lost before each value; nil if it is shorter than six.
  private static func longestRun(of values: [Float], _ losses: [Float], in range: Range<Int>) -> Range<Int>? {
    var best: (sum: Float, range: Range<Int>) = (0, 0..<0)
    var (sum, start): (Float, Int) = (0, range.lowerBound)
    for index in range {
      sum -= losses[index]
      if sum <= 0 { (sum, start) = (0, index) }
      sum += values[index]
      if sum > best.sum { best = (sum, start..<(index + 1)) }
    }
    return best.range.count >= 6 ? best.range : nil
  }

  /// Adds characters at both ends for as long as the network finds more.
  ///
  /// - Parameter contrast: the median of the characters' contrasts.
  private mutating func follow(_ picture: GrayPicture, _ network: CharacterNetwork, contrast: Float) {
    let reach = 6
    var isOpen = (start: true, end: true)
    while (isOpen.start || isOpen.end) && last - first < Self.longest {
      if isOpen.end {
        let (strip, center) = Self.strip(picture, curve, from: last, through: last + reach)
        isOpen.end = extend(picture, strip, center, network, contrast, places: Array((last + 1)...(last + reach)))
      }
      if isOpen.start {
        let (strip, center) = Self.strip(picture, curve, from: first - reach, through: first)
        isOpen.start = extend(picture, strip, center, network, contrast, places: (first - reach..<first).reversed())
      }
      guard let curve = Self.curve(characters) else { return }
      self.curve = curve
    }
  }

  /// Whether the network found characters at these places.
  private mutating func extend(
    _ picture: GrayPicture, _ strip: LineStrip, _ center: (Int) -> Int, _ network: CharacterNetwork,
    _ contrast: Float, places: [Int]
  ) -> Bool {
    let count = characters.count
    var (drift, misses) = (0, 0)
    // Glare takes contrast from a part of a line, more and more.
    var contrast = min(contrast, strip.contrast(at: center(places.first.map { $0 > last ? last : first } ?? last)))
    for place in places where last - first < Self.longest {
      // What is outside of the picture is unknown.
      guard picture.contains(curve.center(at: Float(place))) else { break }
      let tries = [0, -4, 4].map { offset in
        (
          offset: drift + offset,
          presence: network.best(strip, column: center(place) + drift + offset).presence
        )
      }
      guard let best = tries.max(by: { $0.presence < $1.presence }), best.presence > 0.5,
        strip.contrast(at: center(place) + best.offset) >= contrast * Self.leastContrast
      else {
        misses += 1
        if misses == 2 { break }
        continue
      }
      (misses, drift) = (0, best.offset)
      contrast += (strip.contrast(at: center(place) + drift) - contrast) * 0.3
      let shifted = Float(place) + Float(drift) / Float(LineStrip.pitch)
      let character = Character(place: place, center: curve.center(at: shifted))
      if place > last { characters.append(character) } else { characters.insert(character, at: 0) }
    }
    return characters.count > count
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
