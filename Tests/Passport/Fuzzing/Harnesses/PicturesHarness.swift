import TesseraPictures
import TesseraVirtualChip

/// Pictures decoded by the C libraries, and written as PNG.
enum PicturesHarness: Harness {
  static let name = "pictures"

  static func seeds() throws -> [String: [UInt8]] { ["jpeg": SpecimenDocument.signature] }

  static func test(_ input: [UInt8]) throws {
    let picture = try Picture(decoding: input)
    property(picture.pixels.count == picture.size.width * picture.size.height * 3, "three bytes a pixel")
    let png = try picture.png()
    property(png.starts(with: [0x89, 0x50, 0x4E, 0x47]), "a PNG file")
    let page = try GrayPicture(decoding: input)
    property(page.width == picture.size.width && page.height == picture.size.height, "the same size in grey")
    if let jpeg = Picture.upright(jpeg: input) {
      property(try Picture(decoding: jpeg).size == picture.size, "the same picture without EXIF")
    }
  }
}
