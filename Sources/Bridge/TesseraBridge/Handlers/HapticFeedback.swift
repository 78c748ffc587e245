/// The haptic feedback that a request asks for. Clients use different spellings (`light`, `impactLight`,
/// `IMPACT_LIGHT`), and some send types that no native side knows.
enum HapticFeedback: Sendable, Equatable {
  case impact(HapticImpactStyle)
  case notification(HapticNotificationType)
  case selection

  /// Accepts any type; an unknown one is a medium impact.
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

  /// Accepts any style; an unknown one is medium.
  init(impact text: String) {
    let word = Self.letters(text)
    let style = HapticImpactStyle(rawValue: Self.rest(of: word, after: "impact") ?? word)
    self = .impact(style ?? .medium)
  }

  /// Accepts any type; an unknown one is success.
  init(notification text: String) {
    let word = Self.letters(text)
    let type = HapticNotificationType(rawValue: Self.rest(of: word, after: "notification") ?? word)
    self = .notification(type ?? .success)
  }

  /// The ASCII letters in lower case, so that `IMPACT_LIGHT` equals `impactLight`. No known type exceeds 64 bytes.
  private static func letters(_ text: String) -> String {
    let letters = text.utf8.prefix(64).map { $0 | 0x20 }.filter { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
    return String(decoding: letters, as: UTF8.self)
  }

  private static func rest(of word: String, after prefix: String) -> String? {
    word.hasPrefix(prefix) ? String(word.dropFirst(prefix.count)) : nil
  }
}
