import TesseraPassport

/// A picture of 8 bits of luminance a pixel, row by row from the top without padding. Its memory is overwritten before
/// it is freed.
public final class GrayPicture: Sendable {
  /// The largest side of a picture, in pixels.
  public static let longestSide = 8192

  public let width: Int
  public let height: Int
  private let memory: WipedMemory<UInt8>

  /// - Parameters:
  ///   - width: 1 to `longestSide` pixels.
  ///   - height: 1 to `longestSide` pixels.
  ///   - initialize: writes the pixels, which are black before.
  /// - Throws: `PictureError.tooLarge`, or the error of `initialize`.
  public init(
    width: Int, height: Int, initializingWith initialize: (UnsafeMutableBufferPointer<UInt8>) throws -> Void
  ) throws {
    guard (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height) else {
      throw PictureError.tooLarge(ImageSize(width: width, height: height))
    }
    self.width = width
    self.height = height
    memory = try WipedMemory(repeating: 0, count: width * height, initializingWith: initialize)
  }

  /// The pixels, valid during the call only.
  public func withPixels<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    try memory.withElements(body)
  }
}

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
