import CTesseraPNG

extension Picture {
  /// The picture as a PNG file.
  ///
  /// - Throws: `PictureError.unencodable`.
  public func png() throws(PictureError) -> [UInt8] {
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    image.width = UInt32(clamping: size.width)
    image.height = UInt32(clamping: size.height)
    image.format = UInt32(PNG_FORMAT_FLAG_COLOR)
    defer { png_image_free(&image) }
    // Without a buffer, libpng returns the required length.
    var length = 0
    guard png_image_write_to_memory(&image, nil, &length, 0, pixels, 0, nil) != 0 else { throw .unencodable }
    var file = [UInt8](repeating: 0, count: length)
    guard png_image_write_to_memory(&image, &file, &length, 0, pixels, 0, nil) != 0, length <= file.count else {
      throw .unencodable
    }
    return Array(file.prefix(length))
  }
}
