import Glibc

extension CharacterNetwork {
  /// The most probable character at a column of a strip, the logarithm of its probability, and the probability that there
  /// is any.
  func best(_ strip: LineStrip, column: Int) -> (character: Int, logarithm: Float, presence: Float) {
    let logarithms = logProbabilities(strip, column: column)
    var best = 0
    for character in 1..<ZoneCharacter.none where logarithms[character] > logarithms[best] { best = character }
    return (best, logarithms[best], 1 - exp(logarithms[ZoneCharacter.none]))
  }
}
