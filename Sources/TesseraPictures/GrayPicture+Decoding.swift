import CTesseraPNG
import CTesseraTurboJPEG
import TesseraPassport

extension GrayPicture {
  /// The most pixels of an image file: those of a large camera.
  static let mostPixels = 64_000_000

  /// Decodes a JPEG, PNG or JPEG 2000 file. Checks its size before it allocates memory.
  ///
  /// - Throws: `PictureError`.
  public convenience init(decoding data: [UInt8]) throws(PictureError) {
    let header: ImageHeader
    do {
      header = try ImageHeader(data)
    } catch {
      throw .unreadable(error)
    }
    let size = header.size
    guard size.width <= Self.longestSide, size.height <= Self.longestSide, size.width * size.height <= Self.mostPixels
    else { throw .tooLarge(size) }
    do {
      switch header.format {
      case .jpeg: try self.init(size) { try Self.decodeJPEG(data, size, $0) }
      case .png: try self.init(size) { try Self.decodePNG(data, size, $0) }
      default:
        let picture = try Picture(decoding: data)
        try self.init(picture.size) { pixels in
          for index in pixels.indices {
            // ITU-R BT.601.
            let (red, green, blue) = (
              picture.pixels[index * 3], picture.pixels[index * 3 + 1], picture.pixels[index * 3 + 2]
            )
            pixels[index] = UInt8((Int(red) * 77 + Int(green) * 150 + Int(blue) * 29) >> 8)
          }
        }
      }
    } catch let error as PictureError {
      throw error
    } catch {
      throw .undecodable(header.format)
    }
  }

  private convenience init(
    _ size: ImageSize, _ initialize: (UnsafeMutableBufferPointer<UInt8>) throws -> Void
  ) throws {
    try self.init(width: size.width, height: size.height, initializingWith: initialize)
  }

  private static func decodeJPEG(
    _ data: [UInt8], _ size: ImageSize, _ pixels: UnsafeMutableBufferPointer<UInt8>
  ) throws(PictureError) {
    guard let decoder = tjInitDecompress() else { throw .undecodable(.jpeg) }
    defer { tjDestroy(decoder) }
    // With the size of the frame header, which the memory has, libjpeg-turbo decodes without scaling.
    let status = tjDecompress2(
      decoder, data, UInt(data.count), pixels.baseAddress, Int32(size.width), Int32(size.width), Int32(size.height),
      Int32(TJPF_GRAY.rawValue), Int32(TJFLAG_LIMITSCANS))
    // After a warning there is a picture; after an error there is none.
    guard status == 0 || tjGetErrorCode(decoder) == Int32(TJERR_WARNING.rawValue) else { throw .undecodable(.jpeg) }
  }

  private static func decodePNG(
    _ data: [UInt8], _ size: ImageSize, _ pixels: UnsafeMutableBufferPointer<UInt8>
  ) throws(PictureError) {
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    defer { png_image_free(&image) }
    guard png_image_begin_read_from_memory(&image, data, data.count) != 0, Int(image.width) == size.width,
      Int(image.height) == size.height
    else { throw .undecodable(.png) }
    image.format = UInt32(PNG_FORMAT_GRAY)
    // Transparent pixels are paper.
    var white = png_color(red: 255, green: 255, blue: 255)
    guard png_image_finish_read(&image, &white, pixels.baseAddress, Int32(size.width), nil) != 0 else {
      throw .undecodable(.png)
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
