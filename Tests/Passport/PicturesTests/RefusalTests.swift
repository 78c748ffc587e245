import TesseraPassport
import Testing

@testable import TesseraPictures

@Suite("Pictures that are not decoded are named")
struct RefusalTests {
  static let fixtures = [
    ("twelve-bits.jpg", "a JPEG with 12 bits a sample"), ("lossless.jpg", "a lossless JPEG"), ("ls.jpg", "JPEG-LS"),
  ]

  @Test("whole files that libjpeg-turbo cannot decode are not called damaged", arguments: fixtures)
  func whole(_ name: String, _ kind: String) throws {
    try Self.check(try Drawing.fixture(name), kind)
  }

  private static func check(_ file: [UInt8], _ kind: String) throws {
    #expect(throws: PictureError.unsupported(kind)) { try Picture(decoding: file) }
    #expect(throws: PictureError.unsupported(kind)) { try GrayPicture(decoding: file) }
    #expect(PictureError.unsupported(kind).failure.cause == "The image is \(kind), which Tessera does not support.")
  }

  @Test("frame headers of other kinds")
  func frames() throws {
    let jpeg = try Drawing.fixture("rgb.jpg")
    let frame = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC0]) })
    func changed(_ changes: [Int: UInt8]) -> [UInt8] {
      var file = jpeg
      for (offset, byte) in changes { file[frame + offset] = byte }
      return file
    }
    try Self.check(changed([1: 0xC5]), "a hierarchical JPEG")
    try Self.check(changed([1: 0xCB]), "a lossless JPEG")
    try Self.check(changed([4: 16]), "a JPEG with 16 bits a sample")
    try Self.check(changed([9: 2]), "a JPEG with 2 components")
    try Self.check(changed([11: 0x31, 14: 0x21]), "a JPEG with fractional sampling factors")
    try Self.check(changed([5: 0, 6: 0]), "a JPEG that states its height after its data")
    #expect(throws: PictureError.unreadable(.malformed("no pixels"))) { try Picture(decoding: changed([7: 0, 8: 0])) }
  }

  @Test("JPEG 2000 in colours, with components or bits that are not converted")
  func jpeg2000() throws {
    var file = try Drawing.fixture("rgb.jp2")
    let colour = try #require(file.indices.first { file[$0...].starts(with: "colr".utf8) })
    file[colour + 10] = 14
    try Self.check(file, "a JPEG 2000 image in CIELab colours")
    file[colour + 10] = 99
    try Self.check(file, "a JPEG 2000 image in the colour space 99")
    var codestream = try Drawing.fixture("rgb.j2k")
    codestream[42] = 24
    try Self.check(codestream, "a JPEG 2000 image with more than 16 bits a sample")
    let brand = try #require(file.indices.first { file[$0...].starts(with: "ftyp".utf8) })
    file.replaceSubrange((brand + 4)..<(brand + 8), with: "mjp2".utf8)
    try Self.check(file, "a JPEG 2000 film")
  }

  static let foreign: [(String, [UInt8])] = [
    ("a GIF picture", Array("GIF89a".utf8)), ("a WebP picture", Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8)),
    ("a TIFF picture", [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0]), ("a TIFF picture", [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8]),
    ("a BMP picture", Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [40, 0, 0, 0, 1, 0, 0, 0]),
    ("a PDF file", Array("%PDF-1.7\n".utf8)), ("a HEIC picture", [0, 0, 0, 24] + "ftypheic\0\0\0\0mif1heic".utf8),
    ("an AVIF picture", [0, 0, 0, 24] + "ftypmif1\0\0\0\0mif1avif".utf8),
    ("a film", [0, 0, 0, 16] + "ftypisom\0\0\0\0".utf8), ("a JPEG XL picture", [0xFF, 0x0A, 0xFA]),
    ("a JPEG XR picture", [0x49, 0x49, 0xBC, 1]), ("a PNM picture", Array("P6\n1 1\n255\n".utf8)),
    ("an SVG picture", Array("<svg xmlns".utf8)), ("an XML file", Array("<?xml version".utf8)), ("WSQ", wsq),
  ]

  private static let wsq: [UInt8] = [
    0xFF, 0xA0, 0xFF, 0xA8, 0, 2, 0xFF, 0xA2, 0, 15, 0, 255, 0, 100, 2, 6, 4, 3, 2, 4, 5, 6, 7, 8, 0xFF, 0xA3,
  ]

  @Test("other formats are named", arguments: foreign)
  func named(_ kind: String, _ start: [UInt8]) throws { try Self.check(start, kind) }

  @Test("text and a JPEG behind other bytes have an unknown format, and a file has a remedy that helps")
  func unknown() throws {
    for file in [Array("BM is not a picture".utf8), [0x0A] + (try Drawing.fixture("rgb.jpg")), [0xFF, 0xD8]] {
      #expect(throws: PictureError.unreadable(.unknownFormat)) { try GrayPicture(decoding: file) }
    }
    #expect(PictureError.unreadable(.unknownFormat).remedyForFile == "Convert it to JPEG or PNG.")
    #expect(PictureError.unsupported("WSQ").remedyForFile == "Convert it to JPEG or PNG.")
    #expect(PictureError.undecodable(.jpeg).remedyForFile.hasPrefix("Use another copy"))
  }
}
