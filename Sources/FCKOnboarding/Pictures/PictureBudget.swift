import TesseraThreads

/// The memory of all pictures that are shown or kept. A flow can name thousands of pictures.
final class PictureBudget: Sendable {
  /// In bytes of pixels.
  static let limit = 256 << 20
  private let used = Locked(0)

  /// - Returns: whether there was room.
  func take(_ size: Int) -> Bool {
    used.withLock { used in
      guard used + size <= Self.limit else { return false }
      used += size
      return true
    }
  }

  func give(_ size: Int) { used.withLock { $0 -= size } }
}
