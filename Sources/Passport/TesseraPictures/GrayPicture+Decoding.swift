import TesseraPassport

extension GrayPicture {
  /// The most pixels of an image file: those of a large camera.
  static let mostPixels = 64_000_000

  /// Decodes a JPEG, PNG or JPEG 2000 file, and turns it upright. Checks its size before it allocates memory.
  ///
  /// - Throws: `PictureError`.
  public convenience init(decoding data: [UInt8]) throws(PictureError) {
    let file = try ImageFile(data, mostPixels: Self.mostPixels)
    do {
      try self.init(width: file.size.width, height: file.size.height) { _ = try file.decode(.luminance, into: $0) }
    } catch let error as PictureError {
      throw error
    } catch {
      throw .undecodable(file.format)
    }
  }
}

extension GrayPicture {
  /// The picture at half the size: each pixel is the mean of four. nil if a side is shorter than two pixels.
  public func halved() -> GrayPicture? {
    let (width, height) = (width / 2, height / 2)
    let source = self.width
    return try? GrayPicture(width: width, height: height) { target in
      withPixels { pixels in
        for row in 0..<height {
          let upper = 2 * row * source
          let lower = upper + source
          for column in 0..<width {
            let sum =
              Int(pixels[upper + 2 * column]) + Int(pixels[upper + 2 * column + 1]) + Int(pixels[lower + 2 * column])
              + Int(pixels[lower + 2 * column + 1])
            target[row * width + column] = UInt8((sum + 2) >> 2)
          }
        }
      }
    }
  }
}
