public import Passport

/// A decoded image: eight bits each of red, green and blue for a pixel, row by row from the top.
public struct Picture: Sendable, Equatable {
  public let size: ImageSize
  /// Three bytes a pixel.
  public let pixels: [UInt8]
  /// Whether the data were damaged or cut short, and some pixels are a guess.
  public let isDamaged: Bool

  init(size: ImageSize, pixels: [UInt8], isDamaged: Bool) {
    self.size = size
    self.pixels = pixels
    self.isDamaged = isDamaged
  }

  /// A page at 300 dots per inch; three bytes for each of them are no burden.
  static let mostPixels = 10_000_000
  static let longestSide = 8192

  /// Decodes a JPEG, or a JPEG 2000 file or codestream. Sizes and parts are checked before anything is allocated.
  ///
  /// - Throws: `PictureError`.
  public init(decoding data: [UInt8]) throws(PictureError) {
    let header: ImageHeader
    do {
      header = try ImageHeader(data)
    } catch {
      throw .unreadable(error)
    }
    let size = header.size
    guard size.width <= Self.longestSide, size.height <= Self.longestSide,
      size.width * size.height <= Self.mostPixels
    else { throw .tooLarge(size) }
    switch header.format {
    case .jpeg: self = try JPEGDecoder.decode(data, size)
    case .jpeg2000: self = try JPEG2000Decoder.decode(data)
    case .png, .wsq, .unknown: throw .unsupported(header.format.rawValue)
    }
  }
}
