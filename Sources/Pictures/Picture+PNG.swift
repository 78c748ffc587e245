import CPNG

extension Picture {
  /// The picture as a PNG file, by libpng.
  ///
  /// - Throws: `PictureError.unencodable`.
  public func png() throws(PictureError) -> [UInt8] {
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    image.width = UInt32(clamping: size.width)
    image.height = UInt32(clamping: size.height)
    image.format = UInt32(PNG_FORMAT_FLAG_COLOR)
    defer { png_image_free(&image) }
    // The size is not known before; a file is never longer than its pixels and a little for each row.
    var length = size.height * (size.width * 3 + 16) + 4096
    var file = [UInt8](repeating: 0, count: length)
    guard png_image_write_to_memory(&image, &file, &length, 0, pixels, 0, nil) != 0, length <= file.count else {
      throw .unencodable
    }
    return Array(file.prefix(length))
  }
}
