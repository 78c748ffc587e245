/// The number of bytes to request with one READ BINARY, adapted to the responses of the chip during the whole read.
package struct BlockSize {
  /// Whether more than 256 bytes can be requested (ISO/IEC 7816-4, 5.2: extended length fields).
  enum ExtendedLength: Equatable {
    /// The chip announces responses of up to this many bytes, but has not sent one yet.
    case announced(Int)
    case proved(Int)
    case unavailable
  }

  /// The shortest block that is adopted: this many bytes are requested even from a chip that delivers fewer.
  static let smallest = 16
  private static let statusLength = 2
  /// Usual sizes of a chip's response buffer, in bytes. Chips with such a buffer refuse longer requests.
  private static let usualBuffers = [4096, 1024]
  private static let smallPlaintexts = [223, 160, 128, 96, 64, 32, smallest]

  var extendedLength: ExtendedLength
  private let plaintext: (Int) -> Int
  /// The caller's limit, lowered to the largest response of the chip.
  private var cap: Int
  private var lastShortAnswer: Int?
  private var hasLostCardDuringProbe = false
  private var longestDelivered = 0
  /// A request of this many bytes ended the session, which may have been chance.
  private var suspectedLength: Int?

  /// - Parameters:
  ///   - extendedLength: whether the chip supports extended length, as known before the first READ BINARY.
  ///   - cap: the caller's limit, in bytes.
  ///   - plaintext: the most plain bytes that a response of the given length can carry under the current keys.
  init(extendedLength: ExtendedLength, cap: Int?, plaintext: @escaping (Int) -> Int) {
    self.extendedLength = extendedLength
    self.plaintext = plaintext
    self.cap = max(1, cap ?? .max)
  }

  /// The number of bytes to request now.
  var current: Int {
    switch extendedLength {
    case .announced(let limit), .proved(let limit): min(extended(limit), cap)
    case .unavailable: min(shortLimit, cap)
    }
  }

  /// The most plain bytes in a short response: 231 under 3DES.
  var shortLimit: Int { plaintext(256) }

  private func extended(_ limit: Int) -> Int { max(shortLimit, plaintext(limit - Self.statusLength)) }

  /// The next size to try after a refusal of `size`; nil when there is none left.
  func smaller(than size: Int) -> Int? { smallerSizes(than: size).first }

  /// The sizes to try after a refusal of `size`, in descending order.
  func smallerSizes(than size: Int) -> [Int] {
    let longer = size > shortLimit ? Self.usualBuffers.map(plaintext) + [shortLimit] : []
    return (longer + Self.smallPlaintexts).filter { $0 < size }
  }

  /// Whether the chip has delivered so many bytes at once.
  func hasDelivered(_ size: Int) -> Bool { size <= longestDelivered }

  // MARK: - Probes

  /// Whether a request for `size` bytes is a probe: the chip has never delivered as many at once.
  package func isProbe(_ size: Int) -> Bool {
    switch extendedLength {
    case .announced: size > shortLimit
    case .proved: size > max(shortLimit, longestDelivered)
    case .unavailable: false
    }
  }

  /// Whether the chip has not answered with extended length yet.
  var isUnproved: Bool { if case .announced = extendedLength { true } else { false } }

  /// Records that a probe ended the session. If the chip has delivered long responses before, longer ones are not
  /// requested again.
  ///
  /// - Parameter cardWasRemoved: whether the card was lost. If the chip announces extended length, the first such
  ///   loss may be chance, so the probe is repeated.
  mutating func recordFailedProbe(cardWasRemoved: Bool) {
    switch extendedLength {
    case .announced where cardWasRemoved && !hasLostCardDuringProbe: hasLostCardDuringProbe = true
    case .proved where longestDelivered > shortLimit: cap = min(cap, longestDelivered)
    default: extendedLength = .unavailable
    }
  }

  /// Records that a request for `size` bytes within a file ended the session.
  ///
  /// - Returns: whether later requests are shorter: the chip has never delivered so many bytes, and its status is about
  ///   the length or the same request ended the session before.
  mutating func recordLoss(requested size: Int, _ status: StatusWord) -> Bool {
    guard size > longestDelivered, let smaller = smaller(than: size), smaller < current else { return false }
    let isAboutLength = status == .wrongLength || status.proposedLength != nil
    guard isAboutLength || suspectedLength == size else {
      suspectedLength = size
      return false
    }
    lower(to: smaller)
    return true
  }

  // MARK: - Responses

  /// Records a response of `received` bytes to a request for `requested` bytes.
  mutating func recordAnswer(requested: Int, received: Int) {
    longestDelivered = max(longestDelivered, received)
    guard requested > shortLimit, received > 0 else { return }
    if case .announced(let limit) = extendedLength { extendedLength = .proved(limit) }
  }

  /// Records that the chip refused a length. Later requests are for `size` bytes at most.
  mutating func lower(to size: Int) {
    cap = min(cap, size)
    if case .announced = extendedLength, size <= shortLimit { extendedLength = .unavailable }
  }

  /// Raises the limit to `size` again, as far as short lengths go. A refusal of extended length is final.
  mutating func restore(_ size: Int) { cap = max(cap, min(size, shortLimit)) }

  /// Learns from a response in the middle of a file.
  ///
  /// - Parameter tolerance: bytes that a data object around the response may take up.
  mutating func learn(requested: Int, received: Int, tolerance: Int) {
    if received < requested - tolerance {
      // One short response may be a boundary inside the chip; two of the same length are its block size.
      if received == lastShortAnswer { cap = min(cap, max(received, Self.smallest)) }
      lastShortAnswer = received
    } else {
      lastShortAnswer = nil
    }
  }
}
