public import TesseraPassport

/// A decoded image: eight bits each of red, green and blue per pixel, row by row from the top.
public struct Picture: Sendable, Equatable {
  public let size: ImageSize
  /// Three bytes a pixel.
  public let pixels: [UInt8]
  /// Whether the data were damaged or truncated, so that some pixels are estimated.
  public let isDamaged: Bool

  init(size: ImageSize, pixels: [UInt8], isDamaged: Bool) {
    self.size = size
    self.pixels = pixels
    self.isDamaged = isDamaged
  }

  /// The size of a page at 300 dots per inch.
  static let maximumPixels = 10_000_000
  static let longestSide = 8192

  /// Decodes a JPEG, or a JPEG 2000 file or codestream. Checks sizes and structure before it allocates memory.
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
      size.width * size.height <= Self.maximumPixels
    else { throw .tooLarge(size) }
    switch header.format {
    case .jpeg: self = try JPEGDecoder.decode(data, size)
    case .jpeg2000: self = try JPEG2000Decoder.decode(data)
    case .png, .wsq, .unknown: throw .unsupported(header.format.rawValue)
    }
  }
}
