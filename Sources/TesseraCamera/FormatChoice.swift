import Glibc

/// The choice among the formats that a camera offers.
///
/// The recogniser wants 1280 by 720 pixels, 15 times a second or more. Where a camera reaches that without compression,
/// it is taken, since decoding costs more than copying rows; most USB 2 cameras reach it with MJPEG only.
struct FormatChoice: Sendable, Equatable {
  let format: PixelFormat
  let width: Int
  let height: Int
  /// In frames a second; nil if unknown.
  let rate: Double?

  static let wish = (width: 1280, height: 720)
  static let lowestRate = 14.5
  /// A zone of 44 characters needs about ten pixels for each.
  private static let fewestPixels = 640 * 360

  /// - Parameter offers: The readable formats with their sizes; no sizes if the driver does not enumerate them.
  /// - Returns: nil if there is no offer.
  static func best(_ offers: [(format: PixelFormat, sizes: [CameraNode.Size])]) -> FormatChoice? {
    let choices = offers.flatMap { offer in
      offer.sizes.isEmpty
        ? [FormatChoice(format: offer.format, width: wish.width, height: wish.height, rate: nil)]
        : offer.sizes.map { size in
          FormatChoice(format: offer.format, width: size.width, height: size.height, rate: size.rate)
        }
    }
    return choices.filter { $0.width > 0 && $0.height > 0 }.min { $0.rank < $1.rank }
  }

  /// The lowest rank is the best: fast and large enough, near the wish, uncompressed, cheap to decode.
  private var rank: (Int, Double, Int, Int) {
    let pixels = Double(width) * Double(height)
    let isLarge = pixels >= Double(Self.fewestPixels)
    let isFast = rate.map { $0 >= Self.lowestRate } ?? true
    let octaves = log2(pixels / Double(Self.wish.width * Self.wish.height))
    // Too many pixels cost time, too few cost characters.
    let distance = octaves < 0 ? -2 * octaves : octaves
    let order = PixelFormat.readable.firstIndex { $0.format == format } ?? .max
    return (isLarge && isFast ? 0 : isLarge ? 1 : 2, distance, format.luminance == .jpeg ? 1 : 0, order)
  }
}
