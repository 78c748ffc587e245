/// How many bytes to ask for with one READ BINARY, learned from what the chip answers and kept for the whole session.
struct BlockSize {
  /// Whether longer answers than 256 bytes can be asked for (ISO/IEC 7816-4, 5.2: extended length fields).
  enum ExtendedLength: Equatable {
    /// Nothing tells; up to so many bytes could be carried. Tried once, where it would save exchanges.
    case unknown(Int)
    /// The chip has announced it and not done it yet.
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

  private(set) var extendedLength: ExtendedLength
  /// The most that a response of so many bytes can carry in plain, under the present keys.
  private let plaintext: (Int) -> Int
  /// The user's own limit, and what the chip turned out to give at once.
  private var cap: Int
  private var lastShortAnswer: Int?
  private var hasLostTrial = false

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
    case .unknown, .unavailable: min(shortLimit, cap)
    }
  }

  /// The same for so many missing bytes of a file; more than `current` where it is worth a try.
  func size(missing: Int) -> Int {
    guard case .unknown(let limit) = extendedLength, cap > shortLimit, missing > 2 * shortLimit else { return current }
    return min(extended(limit), cap)
  }

  /// The most that a short response can carry in plain: 231 under 3DES.
  var shortLimit: Int { plaintext(256) }

  private func extended(_ limit: Int) -> Int { max(shortLimit, plaintext(limit - Self.statusLength)) }

  // MARK: - What the chip does

  /// The next size to try after a refusal of `size`; nil when there is none left.
  func smaller(than size: Int) -> Int? {
    if case .unknown = extendedLength, size > shortLimit { return shortLimit }
    let longer = size > shortLimit ? Self.usualBuffers.map(plaintext) + [shortLimit] : []
    return (longer + Self.smallPlaintexts).first { $0 < size }
  }

  /// An answer to a request for `requested` bytes had `received`.
  mutating func delivered(requested: Int, received: Int) {
    guard requested > shortLimit, received > 0 else { return }
    switch extendedLength {
    case .announced(let limit), .unknown(let limit): extendedLength = .proved(limit)
    case .proved, .unavailable: break
    }
  }

  /// The chip said no to `size`. Extended length that nothing announced is not tried again.
  mutating func refused(_ size: Int) {
    if case .unknown = extendedLength, size > shortLimit { extendedLength = .unavailable }
  }

  /// The conversation ended over the first request with extended length.
  ///
  /// - Parameter byLoss: whether the document was lost, which may have been chance where the chip announces what it can.
  mutating func trialEnded(byLoss: Bool) {
    if byLoss, case .announced = extendedLength, !hasLostTrial {
      hasLostTrial = true
    } else {
      extendedLength = .unavailable
    }
  }

  /// Whether a request for `size` bytes is the first with extended length: nobody knows yet what the chip does.
  func isTrial(_ size: Int) -> Bool {
    guard size > shortLimit else { return false }
    switch extendedLength {
    case .unknown, .announced: return true
    case .proved, .unavailable: return false
    }
  }

  /// The chip refused a length; it is not asked for more than `size` again.
  mutating func refuse(moreThan size: Int) { cap = min(cap, size) }

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
