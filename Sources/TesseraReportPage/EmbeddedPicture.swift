import TesseraCore
import TesseraPictures

/// A picture of the document, in a form that browsers show.
enum EmbeddedPicture {
  case shown(DataURL, ImageSize, isDamaged: Bool)
  /// The picture cannot be shown; the reason is a sentence.
  case unusable(reason: String)

  /// A portrait has fewer; a page with a larger PNG is slow to open.
  private static let maximumPixels = 2_000_000

  /// A JPEG that decodes remains as it is. JPEG 2000, which browsers do not show, becomes a PNG.
  init(_ data: [UInt8]) {
    do {
      let header = try? ImageHeader(data)
      if let size = header?.size, header?.format == .jpeg2000, size.width * size.height > Self.maximumPixels {
        throw PictureError.tooLarge(size)
      }
      let picture = try Picture(decoding: data)
      let address = header?.format == .jpeg ? DataURL(.jpeg, data) : DataURL(.png, try picture.png())
      self = .shown(address, picture.size, isDamaged: picture.isDamaged)
    } catch {
      self = .unusable(reason: Failure(error).cause)
    }
  }
}
