/// What content means by the words that it sends. The clients of the protocol send different ones for the same thing
/// (`light`, `impactLight`, `IMPACT_LIGHT`), and some send words that none of the native sides knew.
enum HapticFeedback: Sendable, Equatable {
  case impact(HapticImpactStyle)
  case notification(HapticNotificationType)
  case selection

  /// Any word at all; what nobody knows is a medium impact.
  init(trigger text: String) {
    let word = Self.letters(text)
    if word.hasPrefix("selection") {
      self = .selection
    } else if let rest = Self.rest(of: word, after: "notification") {
      self.init(notification: rest)
    } else if let rest = Self.rest(of: word, after: "impact") {
      self.init(impact: rest)
    } else if let type = HapticNotificationType(rawValue: word) {
      self = .notification(type)
    } else {
      self.init(impact: word)
    }
  }

  /// The styles; medium for anything else.
  init(impact text: String) {
    let word = Self.letters(text)
    let style = HapticImpactStyle(rawValue: Self.rest(of: word, after: "impact") ?? word)
    self = .impact(style ?? .medium)
  }

  /// The types; success for anything else.
  init(notification text: String) {
    let word = Self.letters(text)
    let type = HapticNotificationType(rawValue: Self.rest(of: word, after: "notification") ?? word)
    self = .notification(type ?? .success)
  }

  /// `IMPACT_LIGHT` and `impactLight` are one word. No known one is longer than what is looked at, or beyond ASCII.
  private static func letters(_ text: String) -> String {
    let letters = text.utf8.prefix(64).map { $0 | 0x20 }.filter { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
    return String(decoding: letters, as: UTF8.self)
  }

  private static func rest(of word: String, after prefix: String) -> String? {
    word.hasPrefix(prefix) ? String(word.dropFirst(prefix.count)) : nil
  }
}
