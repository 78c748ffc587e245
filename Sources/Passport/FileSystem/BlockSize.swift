/// How many bytes to ask for with one READ BINARY, learned from what the chip answers and kept for the whole session.
struct BlockSize {
  /// Whether longer answers than 256 bytes can be asked for (ISO/IEC 7816-4, 5.2: extended length fields).
  enum ExtendedLength: Equatable {
    /// Up to so many bytes. The chip says so, or has not refused such a command; under secure messaging it has not been
    /// seen yet.
    case announced(Int)
    case proved(Int)
    case unavailable
  }

  /// Below this a chip is not followed: asking for more than it gives costs nothing.
  static let smallest = 16
  private static let statusLength = 2
  /// Chips with a buffer of their own for answers refuse more than that holds: usual sizes, in bytes of the response.
  private static let usualBuffers = [4096, 1024]
  private static let smallPlaintexts = [223, 192, 128, 96, 64, 32, smallest]

  var extendedLength: ExtendedLength
  /// The most that a response of so many bytes can carry in plain, under the present keys.
  private let plaintext: (Int) -> Int
  /// The user's own limit, and what the chip turned out to give at once.
  private var cap: Int
  private var lastShortAnswer: Int?
  private var hasLostTrial = false
  private var longestDelivered = 0

  /// - Parameters:
  ///   - cap: the user's own limit.
  ///   - plaintext: the most plain bytes that a response of so many bytes can carry under the present keys.
  init(extendedLength: ExtendedLength, cap: Int?, plaintext: @escaping (Int) -> Int) {
    self.extendedLength = extendedLength
    self.plaintext = plaintext
    self.cap = max(1, cap ?? .max)
  }

  /// What to ask for.
  var current: Int {
    switch extendedLength {
    case .announced(let limit), .proved(let limit): min(extended(limit), cap)
    case .unavailable: min(shortLimit, cap)
    }
  }

  /// The most that a short response can carry in plain: 231 under 3DES.
  var shortLimit: Int { plaintext(256) }

  private func extended(_ limit: Int) -> Int { max(shortLimit, plaintext(limit - Self.statusLength)) }

  // MARK: - What the chip does

  /// The next size to try after a refusal of `size`; nil when there is none left.
  func smaller(than size: Int) -> Int? {
    let longer = size > shortLimit ? Self.usualBuffers.map(plaintext) + [shortLimit] : []
    return (longer + Self.smallPlaintexts).first { $0 < size }
  }

  /// An answer to a request for `requested` bytes had `received`.
  mutating func delivered(requested: Int, received: Int) {
    longestDelivered = max(longestDelivered, received)
    guard requested > shortLimit, received > 0 else { return }
    if case .announced(let limit) = extendedLength { extendedLength = .proved(limit) }
  }

  /// The conversation ended over a trial. A chip that has delivered long answers before is not asked for longer ones.
  ///
  /// - Parameter byLoss: whether the document was lost, which may have been chance where the chip announces what it can.
  mutating func trialEnded(byLoss: Bool) {
    switch extendedLength {
    case .announced where byLoss && !hasLostTrial: hasLostTrial = true
    case .proved where longestDelivered > shortLimit: cap = min(cap, longestDelivered)
    default: extendedLength = .unavailable
    }
  }

  /// Whether nobody knows yet what the chip does when asked for so many bytes: it has never delivered as many at once.
  func isTrial(_ size: Int) -> Bool {
    switch extendedLength {
    case .announced: size > shortLimit
    case .proved: size > max(shortLimit, longestDelivered)
    case .unavailable: false
    }
  }

  /// Whether the chip has not taken extended length yet.
  var isUnproved: Bool { if case .announced = extendedLength { true } else { false } }

  /// The chip refused a length; it is not asked for more than `size` again.
  mutating func refuse(moreThan size: Int) {
    cap = min(cap, size)
    if case .announced = extendedLength, size <= shortLimit { extendedLength = .unavailable }
  }

  /// What was refused of short lengths since it was `size` is forgotten; a refusal of extended ones holds.
  mutating func restore(_ size: Int) { cap = max(cap, min(size, shortLimit)) }

  /// What the chip answered to a request for `requested` bytes of a file that has more to give.
  ///
  /// - Parameter tolerance: bytes that may have gone into wrapping.
  mutating func learn(requested: Int, received: Int, tolerance: Int) {
    if received < requested - tolerance {
      // One short answer may be a boundary inside the chip; two of the same length are its size.
      if received == lastShortAnswer { cap = min(cap, max(received, Self.smallest)) }
      lastShortAnswer = received
    } else {
      lastShortAnswer = nil
    }
  }
}
