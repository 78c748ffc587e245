import Glibc

/// A shape of numbers that issuers print: which characters stand in which place.
///
/// Check digits do not tell 0 from O, or 1 from I, where several of them change. What issuers print does: numbers with
/// letters among the digits are of a few shapes, and nearly all issuers leave out O and I.
struct NumberShape: Sendable {
  /// The permitted characters of each place.
  let classes: [UInt64]
  /// The logarithm of the share of documents that have numbers of this shape, divided by how many numbers there are.
  let score: Float

  /// - Parameters:
  ///   - classes: a character for each place, see `alphabet`.
  ///   - share: of the documents.
  init(_ classes: String, share: Float) {
    self.classes = classes.utf8.map { Self.alphabet[$0] ?? Self.digits }
    score = self.classes.reduce(log(share)) { $0 - log(Float($1.nonzeroBitCount)) }
  }

  func permits(_ characters: some Collection<Int>) -> Bool {
    characters.count == classes.count && zip(characters, classes).allSatisfy { $1 & (1 << UInt64($0)) != 0 }
  }

  // MARK: - Characters

  private static let digits = bits(0..<10)
  private static let letters = bits(10..<36)

  private static func bits(_ numbers: some Sequence<Int>) -> UInt64 { numbers.reduce(0) { $0 | 1 << UInt64($1) } }
  private static func bits(_ text: String) -> UInt64 { bits(text.utf8.compactMap(ZoneCharacter.number)) }

  private static let alphabet: [UInt8: UInt64] = {
    let easilyConfused = bits("IO")
    return [
      UInt8(ascii: "9"): digits, UInt8(ascii: "L"): letters, UInt8(ascii: "A"): letters & ~easilyConfused,
      UInt8(ascii: "X"): digits | letters, UInt8(ascii: "N"): (digits | letters) & ~easilyConfused,
      // Germany: no vowels, and no B, D, Q, S (Passverordnung, annex 11; Personalausweisverordnung alike since 2010).
      UInt8(ascii: "G"): digits | bits("CFGHJKLMNPRTVWXYZ"),
      // The Netherlands: no O (government.nl, "How do I know if my passport number includes …").
      UInt8(ascii: "P"): (digits | letters) & ~bits("O"), UInt8(ascii: "Q"): letters & ~bits("O"),
      // Corsica's departments, 2A and 2B.
      UInt8(ascii: "2"): bits("2"), UInt8(ascii: "B"): bits("AB"),
    ]
  }()

  // MARK: - Of any issuer

  /// The shapes of a number with this many characters, of an issuer that is not known.
  ///
  /// The shares are estimates from the issuers in `IssuerNumbers`: nearly all have digits, with one to three letters before
  /// them or one at an end, or digits and letters; and those that state their letters leave out O, most of them I too.
  static func ofAnyIssuer(_ length: Int) -> [NumberShape] {
    length < anyIssuer.count ? anyIssuer[max(length, 0)] : []
  }

  private static let anyIssuer: [[NumberShape]] = (0...22).map { length in
    guard length > 0 else { return [] }
    func repeated(_ character: String, _ count: Int) -> String { String(repeating: character, count: max(count, 0)) }
    var shapes = [
      NumberShape(repeated("9", length), share: 0.4), NumberShape(repeated("G", length), share: 0.06),
      NumberShape(repeated("N", length), share: 0.1), NumberShape(repeated("X", length), share: 0.03),
    ]
    for (prefix, share) in [(1, 0.13), (2, 0.13), (3, 0.04)] as [(Int, Float)] where length >= prefix + 3 {
      shapes.append(NumberShape(repeated("A", prefix) + repeated("9", length - prefix), share: share))
      shapes.append(NumberShape(repeated("L", prefix) + repeated("9", length - prefix), share: share / 20))
    }
    if length >= 5 {
      shapes.append(NumberShape(repeated("9", length - 1) + "A", share: 0.03))
      shapes.append(NumberShape("A" + repeated("9", length - 2) + "A", share: 0.03))
    }
    return shapes
  }

  /// The shapes of optional data with this many characters: national numbers, most of them digits, some with a letter at
  /// an end.
  static func ofOptionalData(_ length: Int) -> [NumberShape] {
    length < optionalData.count ? optionalData[max(length, 0)] : []
  }

  private static let optionalData: [[NumberShape]] = (0...22).map { length in
    guard length > 0 else { return [] }
    var shapes = [
      NumberShape(String(repeating: "9", count: length), share: 0.55),
      NumberShape(String(repeating: "N", count: length), share: 0.1),
      NumberShape(String(repeating: "X", count: length), share: 0.2),
    ]
    if length >= 4 {
      let digits = String(repeating: "9", count: length - 1)
      shapes += [NumberShape(digits + "A", share: 0.1), NumberShape("A" + digits, share: 0.05)]
    }
    return shapes
  }
}
