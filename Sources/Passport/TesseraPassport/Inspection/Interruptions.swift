import TesseraSmartCard

/// The sessions that the chip ended in the middle of a file. A read goes on in a new session, and ends if that does not help.
struct Interruptions {
  /// Where the last session ended.
  private var place: (file: ElementaryFile, bytes: Int)?
  private var countAtPlace = 0
  private var total = 0
  /// Whether the chip did not grant access again.
  private(set) var isFinal = false

  /// Bounds the time that a chip can take that ends each session.
  private static let most = 64
  private static let mostAtPlace = 2

  /// Records that the session ended over a file of which `bytes` bytes were received.
  ///
  /// - Returns: whether the file is tried again in a new session.
  mutating func record(_ file: ElementaryFile, bytes: Int) -> Bool {
    let isSamePlace = place.map { $0.file == file && $0.bytes >= bytes } ?? false
    place = (file, bytes)
    countAtPlace = isSamePlace ? countAtPlace + 1 : 1
    total += 1
    return !isFinal && total <= Self.most && countAtPlace < Self.mostAtPlace
  }

  /// Whether a file that the session did not reach is tried in a new one.
  var allowsNewSession: Bool { !isFinal && total <= Self.most }

  /// Records that the session ended over a probe, so that the next attempt differs from the last one.
  ///
  /// - Returns: whether the file is tried again.
  mutating func recordChange() -> Bool {
    countAtPlace = 0
    total += 1
    return !isFinal && total <= Self.most
  }

  mutating func giveUp() { isFinal = true }
}
