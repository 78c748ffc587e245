import TesseraVirtualChip

@testable import TesseraPassport

/// The headers of image files.
enum ImageHeadersHarness: Harness {
  static let name = "image-headers"

  static func seeds() throws -> [String: [UInt8]] {
    [
      "jpeg": Array(SpecimenDocument.signature.prefix(300)), "jp2": Array(SpecimenDocument.smallPortrait.prefix(300)),
      "png": .digits("89504E470D0A1A0A0000000D49484452000000100000001008020000009091683600000000"),
      "wsq": .digits("FFA0FFA800020000FFA2000F00FF0064006402030405060708FFA3"),
    ]
  }

  static func test(_ input: [UInt8]) throws {
    let header = try ImageHeader(input)
    property(header.size.width > 0 && header.size.height > 0 && header.components > 0, "there are pixels")
    property(header.format == ImageFormat(input), "the format is that of the first bytes")
  }
}
