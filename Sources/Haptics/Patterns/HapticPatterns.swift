/// How each word feels. This is the table to edit; its rules are tested (`HapticPatternTests`).
///
/// A row: when a pulse starts and how long it is (milliseconds), how hard the strong motor (slow, heavy) and the weak
/// one (fast, light) turn (0 to 1), and where it says so, how long the pulse takes to come up (`attack`), how often it
/// is felt (`repeats`) and from start to start of the repetitions (`every`).
///
/// What makes words differ under the hands: which motor (a tick is the weak one alone, a thud the strong one), how many
/// pulses, and whether it begins at once or swells. Length alone does not: a motor takes some 30 ms to turn at all. So
/// nothing is shorter than 20 ms, and nothing, repetitions included, ends after 400 ms.
extension HapticWord {
  public var pattern: HapticPattern {
    switch self {
    // One tick, the least that is felt.
    case .selection:
      HapticPattern(rows: row(at: 0, length: 20, strong: 0, weak: 0.5))

    // Three weights, from the weak motor alone to both at full.
    case .impact(.light):
      HapticPattern(rows: row(at: 0, length: 40, strong: 0, weak: 0.7))
    case .impact(.medium):
      HapticPattern(rows: row(at: 0, length: 60, strong: 0.5, weak: 0.5))
    case .impact(.heavy):
      HapticPattern(rows: row(at: 0, length: 110, strong: 1, weak: 0.6))

    // The same force in two manners: at once and over, and swelling.
    case .impact(.rigid):
      HapticPattern(rows: row(at: 0, length: 30, strong: 1, weak: 1))
    case .impact(.soft):
      HapticPattern(rows: row(at: 0, length: 180, strong: 0.4, weak: 0.4, attack: 60))

    // A small one, then a bigger one: it went up.
    case .notification(.success):
      HapticPattern(
        rows: row(at: 0, length: 50, strong: 0, weak: 0.8),
        row(at: 130, length: 90, strong: 0.7, weak: 0.4))
    // Two alike.
    case .notification(.warning):
      HapticPattern(rows: row(at: 0, length: 90, strong: 0.8, weak: 0, repeats: 2, every: 180))
    // Three hard ones.
    case .notification(.error):
      HapticPattern(rows: row(at: 0, length: 80, strong: 1, weak: 0.9, repeats: 3, every: 130))
    }
  }

  private func row(
    at start: Int, length: Int, strong: Double, weak: Double, attack: Int = 0, repeats: Int = 1, every: Int = 0
  ) -> [HapticPulse] {
    (0..<repeats).map { number in
      HapticPulse(start: start + number * every, length: length, strong: strong, weak: weak, attack: attack)
    }
  }
}
