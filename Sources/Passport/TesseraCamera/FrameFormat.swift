/// The format of a camera's frames, as the driver states it (`struct v4l2_pix_format`). Nothing in it is checked:
/// `FrameDecoder` does that.
public struct FrameFormat: Sendable, Hashable {
  public let pixelFormat: PixelFormat
  /// In pixels.
  public let width: Int
  /// In pixels.
  public let height: Int
  /// The distance between two rows of the first plane, in bytes. 0: the rows follow each other. Meaningless for JPEG.
  public let bytesPerLine: Int

  public init(pixelFormat: PixelFormat, width: Int, height: Int, bytesPerLine: Int) {
    self.pixelFormat = pixelFormat
    self.width = width
    self.height = height
    self.bytesPerLine = bytesPerLine
  }
}
