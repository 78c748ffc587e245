import TesseraThreads

/// The memory of all pictures that are shown or kept. A flow can name thousands of pictures.
package final class PictureBudget: Sendable {
  /// In bytes of pixels.
  package static let standard = 256 << 20
  private let limit: Int
  private let used = Locked(0)

  /// - Parameter limit: in bytes of pixels.
  init(_ limit: Int = standard) { self.limit = limit }

  /// - Returns: whether there was room.
  func take(_ size: Int) -> Bool {
    used.withLock { used in
      guard used + size <= limit else { return false }
      used += size
      return true
    }
  }

  func give(_ size: Int) { used.withLock { $0 -= size } }
}
