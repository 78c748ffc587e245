/// How many bytes to ask for with one READ BINARY, learned from what the chip answers and kept for the session.
struct BlockSize {
  /// The most that a short response can carry in plain: 231 under 3DES.
  let shortLimit: Int
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
    return size > 16 ? max(16, size / 2) : nil
  }

  /// What the chip answered to a request for `requested` bytes of a file that has more to give.
  mutating func learn(requested: Int, received: Int) {
    // Less: do not ask for more than it gives. More: it ignores Le, and asking for as much costs nothing.
    if received < requested { current = max(1, received) }
    if received > requested { current = min(received, max(shortLimit, current)) }
  }
}
