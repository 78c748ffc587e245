import CTesseraPNG
import TesseraPassport

/// Pixels as a PNG file.
enum PNGEncoder {
  /// - Parameter pixels: of the size and the layout, row by row from the top without padding.
  /// - Returns: nil if libpng fails.
  static func file(_ pixels: UnsafeBufferPointer<UInt8>, _ size: ImageSize, _ layout: PixelLayout) -> [UInt8]? {
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    image.width = UInt32(clamping: size.width)
    image.height = UInt32(clamping: size.height)
    image.format = layout == .rgb ? UInt32(PNG_FORMAT_FLAG_COLOR) : 0
    defer { png_image_free(&image) }
    // Without a buffer, libpng returns the required length.
    var length = 0
    guard png_image_write_to_memory(&image, nil, &length, 0, pixels.baseAddress, 0, nil) != 0 else { return nil }
    var file = [UInt8](repeating: 0, count: length)
    guard png_image_write_to_memory(&image, &file, &length, 0, pixels.baseAddress, 0, nil) != 0, length <= file.count
    else { return nil }
    return Array(file.prefix(length))
  }
}

extension GrayPicture {
  /// The picture as a PNG file.
  ///
  /// - Throws: `PictureError.unencodable`.
  public func png() throws(PictureError) -> [UInt8] {
    let size = ImageSize(width: width, height: height)
    guard let file = withPixels({ PNGEncoder.file($0, size, .luminance) }) else { throw .unencodable }
    return file
  }
}
