import TesseraCore
import TesseraPictures

/// A picture of the document, in a form that browsers show.
enum EmbeddedPicture {
  case shown(DataURL, ImageSize, isDamaged: Bool)
  /// The picture cannot be shown; the reason is a sentence.
  case unusable(reason: String)

  /// A portrait has fewer; a page with a larger PNG is slow to open.
  private static let maximumPixels = 2_000_000

  /// A JPEG that every browser shows as it is remains one, without EXIF, so that no browser turns it. Others, which
  /// browsers do not show or show in several ways, become a PNG. Each is upright.
  init(_ data: [UInt8]) {
    do {
      let jpeg = Picture.upright(jpeg: data)
      if jpeg == nil, let size = (try? ImageHeader(data))?.size, size.width * size.height > Self.maximumPixels {
        throw PictureError.tooLarge(size)
      }
      let picture = try Picture(decoding: data)
      let address = if let jpeg { DataURL(.jpeg, jpeg) } else { DataURL(.png, try picture.png()) }
      self = .shown(address, picture.size, isDamaged: picture.isDamaged)
    } catch {
      self = .unusable(reason: Failure(error).cause)
    }
  }
}
