/// One image of the holder's face, from a record of any format.
public struct FacialImage: Sendable, Hashable {
  public typealias Format = ImageFormat

  /// The image file as stored on the chip.
  public var data: [UInt8]
  /// Width and height in pixels as stated in the record; 0 if the record does not state them.
  public var width: Int
  public var height: Int

  package init(data: [UInt8], width: Int, height: Int) {
    self.data = data
    self.width = width
    self.height = height
  }

  /// The format detected from the first bytes of the image. The format stated in the record is not trusted.
  public var format: Format { ImageFormat(data) }

  /// The size in the image header; the size in the record if the header cannot be read.
  public var size: ImageSize { (try? ImageHeader(data))?.size ?? ImageSize(width: width, height: height) }
}
