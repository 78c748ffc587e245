/// One picture of the holder, whatever record it came in.
public struct FacialImage: Sendable, Hashable {
  public typealias Format = ImageFormat

  /// The image file, as it came.
  public var data: [UInt8]
  /// Width and height in pixels as the record states them; 0 where it does not.
  public var width: Int
  public var height: Int

  public init(data: [UInt8], width: Int, height: Int) {
    self.data = data
    self.width = width
    self.height = height
  }

  /// What the first bytes of the image say it is; the record's own statement is not trusted.
  public var format: Format { ImageFormat(data) }

  /// The size that the image states itself; the record's where the image has no readable header.
  public var size: ImageSize { (try? ImageHeader(data))?.size ?? ImageSize(width: width, height: height) }
}
