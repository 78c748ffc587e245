import Glibc

/// How probable a number is by the shapes of its issuer, in nats (natural logarithms).
///
/// Between two numbers the difference counts for `range` at most (`difference`): a rule is worth less than a clear picture,
/// which differs by 10 and more. A number that no shape has is read all the same.
struct NumberPrior: Sendable {
  private let issuer: [NumberShape]
  private let general: @Sendable (Int) -> [NumberShape]
  /// The share of the issuer's documents whose numbers are of other shapes.
  private let others: Float

  /// The most that the rules say for one number instead of another one: 2.5 nats less than the margin of a zone that is
  /// given (`ZoneVote`), so that the picture alone must favour it by a factor of 12, whatever the issuer prints.
  static let range: Float = 4
  private static let lowest: Float = 20
  /// A filler between the characters, as hyphens are printed.
  private static let innerFiller: Float = -2

  /// The numbers of an issuer's documents.
  init(issuingState: String, kind: IssuerNumbers.Kind, isOldFrenchCard: Bool = false) {
    let known = isOldFrenchCard ? IssuerNumbers.frenchCard : IssuerNumbers.of(issuingState, kind)
    issuer = known?.shapes ?? []
    others = known?.others ?? 1
    general = NumberShape.ofAnyIssuer
  }

  private init(general: @escaping @Sendable (Int) -> [NumberShape]) {
    (issuer, others) = ([], 1)
    self.general = general
  }

  static let optionalData = NumberPrior(general: NumberShape.ofOptionalData)

  /// - Parameter characters: of the field, with its fillers.
  func value(_ characters: some BidirectionalCollection<Int>) -> Float {
    let text = Self.trimmed(characters)
    let content = text.filter { $0 != ZoneCharacter.filler }
    // A field without characters is as usual as one with digits.
    guard !content.isEmpty else { return Self.range / 2 }
    let base = Float(content.count) * log(36)
    var sum: Float = 0
    for shape in issuer where shape.permits(content) { sum += (1 - others) * exp(shape.score + base) }
    for shape in general(content.count) where shape.permits(content) { sum += others * exp(shape.score + base) }
    return max(log(sum), -Self.lowest) + (content.count < text.count ? Self.innerFiller : 0)
  }

  /// What the rules say for one field instead of another one, at most `most`.
  static func difference(_ value: Float, _ other: Float, most: Float = range) -> Float {
    max(-most, min(value - other, most))
  }

  /// A value for comparisons with many others, of which two differ by `range` at most.
  static func bounded(_ value: Float) -> Float { max(-range / 2, min(value, range / 2)) }

  /// The permitted characters of a field's places by each shape: what `FieldSearch` tries.
  func masks(_ characters: [Int], places: Int) -> [[UInt64]] {
    let length = Self.trimmed(characters).count
    let filler = UInt64(1) << ZoneCharacter.filler
    return (issuer.filter { $0.classes.count == length } + general(length)).map { shape in
      (0..<places).map { $0 < length ? shape.classes[$0] | filler : filler }
    }
  }

  private static func trimmed<Characters: BidirectionalCollection<Int>>(
    _ characters: Characters
  ) -> Characters.SubSequence {
    guard let last = characters.lastIndex(where: { $0 != ZoneCharacter.filler }) else { return characters.prefix(0) }
    return characters[...last]
  }
}
