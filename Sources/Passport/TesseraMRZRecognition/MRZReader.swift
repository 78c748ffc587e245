public import TesseraPictures

/// Finds and reads machine readable zones (Doc 9303-3 to 7, and the French identity card of 1988 to 2021) in pictures.
///
/// The zone may be turned by any angle and seen at a slant. Its characters must be 8 pixels apart or more.
public struct MRZReader: Sendable {
  private let networks: ZoneNetworks?
  /// The most pixels of a frame: 1920 x 1200.
  private static let frame = 2_304_000

  public init() { networks = ZoneNetworks.standard }

  /// Reads a picture. A picture with more pixels than a camera's frame is read at smaller sizes first, where strokes are
  /// as thick as in a frame. Ends early if the task is cancelled.
  public func read(_ picture: GrayPicture) -> MRZReading {
    var work = Work()
    return read(picture, &work)
  }

  /// The steps of a reading whose number depends on the picture.
  struct Work {
    /// Pairs of components that may begin a chain.
    var pairs = 0
    /// Chains that were examined.
    var chains = 0
    /// Arrangements of lines that were examined.
    var groups = 0
  }

  /// - Parameter work: Counts the steps, at all sizes.
  func read(_ picture: GrayPicture, _ work: inout Work) -> MRZReading {
    var pictures = [picture]
    while let last = pictures.last, last.width * last.height > Self.frame, let half = last.halved() {
      pictures.append(half)
    }
    var best: MRZReading?
    for (scale, picture) in pictures.enumerated().reversed() {
      let reading = reading(picture, &work).scaled(by: Float(1 << scale))
      if reading.zone != nil { return reading }
      if best.map({ $0.state <= reading.state }) ?? true { best = reading }
    }
    return best ?? .nothing
  }

  private func reading(_ picture: GrayPicture, _ work: inout Work) -> MRZReading {
    guard let networks else { return .nothing }
    var search = ZoneSearch(picture, networks)
    return search.reading(&work)
  }
}
