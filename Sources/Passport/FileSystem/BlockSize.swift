/// How many bytes to ask for with one READ BINARY, learned from what the chip answers.
struct BlockSize {
  /// Below this a chip is not followed: asking for more than it gives costs nothing.
  static let smallest = 16

  /// The most that a short response can carry in plain: 231 under 3DES.
  private let shortLimit: Int
  private var lastShortAnswer: Int?
  private(set) var current: Int

  /// - Parameters:
  ///   - shortLimit: plaintext bytes of a 256-byte response.
  ///   - extendedLimit: the same for an extended one, where reader and chip allow that.
  ///   - cap: the user's own limit.
  init(shortLimit: Int, extendedLimit: Int?, cap: Int?) {
    self.shortLimit = shortLimit
    current = max(1, min(extendedLimit ?? shortLimit, cap ?? .max))
  }

  /// The next size to try after a refusal of `size`; nil when there is none left.
  func smaller(than size: Int) -> Int? {
    if size > shortLimit { return shortLimit }
    return [223, 192, 128, 96, 64, 32, Self.smallest].first { $0 < size }
  }

  /// The chip refused a length; it is not asked for more than `size` again.
  mutating func refuse(moreThan size: Int) { current = min(current, size) }

  /// What was refused of short lengths since it was `size` is forgotten; a refusal of extended ones holds.
  mutating func restore(_ size: Int) { current = max(current, min(size, shortLimit)) }

  /// What the chip answered to a request for `requested` bytes of a file that has more to give.
  ///
  /// - Parameter tolerance: bytes that may have gone into wrapping.
  mutating func learn(requested: Int, received: Int, tolerance: Int) {
    if received < requested - tolerance {
      // One short answer may be a boundary inside the chip; two of the same length are its size.
      if received == lastShortAnswer { current = min(current, max(received, Self.smallest)) }
      lastShortAnswer = received
    } else {
      lastShortAnswer = nil
    }
  }
}
