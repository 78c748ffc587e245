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
