public import TesseraPassport

/// A decoded image, upright: eight bits each of red, green and blue per pixel, row by row from the top.
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

  /// Decodes a JPEG, a PNG, or a JPEG 2000 file or codestream, and turns it upright. Checks sizes and structure before
  /// it allocates memory.
  ///
  /// - Throws: `PictureError`.
  public init(decoding data: [UInt8]) throws(PictureError) {
    let file = try ImageFile(data, mostPixels: Self.maximumPixels)
    var pixels = [UInt8](repeating: 0, count: file.size.width * file.size.height * PixelLayout.rgb.bytes)
    do {
      isDamaged = try pixels.withUnsafeMutableBufferPointer { try file.decode(.rgb, into: $0) }
    } catch let error as PictureError {
      throw error
    } catch {
      throw .undecodable(file.format)
    }
    size = file.size
    self.pixels = pixels
  }
}

extension Picture {
  /// A JPEG file whose pixels lie upright and which every browser shows, without EXIF; nil for other files.
  package static func upright(jpeg data: [UInt8]) -> [UInt8]? {
    guard ImageFormat(data) == .jpeg, let file = try? JPEGFile(data[...]), file.frame.isUsual,
      ImageOrientation(exif: file.exif) == .upright
    else { return nil }
    return try? JPEGFile.withoutEXIF(data)
  }
}
