import Glibc

/// The choice among the formats that a camera offers: 1280 by 720 pixels at 15 frames a second or more, or what is nearest
/// to that.
///
/// Where a camera reaches the same without compression, that is taken, since decoding costs more than copying rows; most
/// USB 2 cameras reach 1280 by 720 pixels with MJPEG only.
struct FormatChoice: Sendable, Equatable {
  let format: PixelFormat
  let width: Int
  let height: Int
  /// In frames a second; nil if unknown.
  let rate: Double?

  static let wish = (width: 1280, height: 720)
  static let wishedRate = 15.0

  /// - Parameter offers: The readable formats with their sizes; no sizes if the driver does not enumerate them.
  /// - Returns: The best one first.
  static func ranked(_ offers: [(format: PixelFormat, sizes: [CameraNode.Size])]) -> [FormatChoice] {
    let choices = offers.flatMap { offer in
      offer.sizes.isEmpty
        ? [FormatChoice(format: offer.format, width: wish.width, height: wish.height, rate: nil)]
        : offer.sizes.map { size in
          FormatChoice(format: offer.format, width: size.width, height: size.height, rate: size.rate)
        }
    }
    return choices.filter { $0.width > 0 && $0.height > 0 }.sorted { $0.rank < $1.rank }
  }

  /// The lowest rank is the best: near the wish, uncompressed, cheap to decode.
  private var rank: (Double, Int, Int) {
    (distance, format.luminance == .jpeg ? 1 : 0, PixelFormat.readable.firstIndex { $0.format == format } ?? .max)
  }

  /// The distance from the wish in octaves (factors of two). Fewer pixels count double: more pixels cost time, fewer cost
  /// characters. An unknown rate counts as high enough.
  private var distance: Double {
    let pixels = log2(Double(width) * Double(height) / Double(Self.wish.width * Self.wish.height))
    // Drivers round: 15 frames a second may be stated as 14.985.
    let slowness = rate.map { max(0, log2(Self.wishedRate / max($0, 0.01)) - 0.05) } ?? 0
    return (pixels < 0 ? -2 * pixels : pixels) + slowness
  }
}
