import TesseraPassport
import Testing

@testable import TesseraPictures

@Suite("Pictures that lie on a side")
struct OrientationTests {
  /// A TIFF structure with one directory, which has the orientation after another entry.
  static func exif(_ value: UInt16, isLittleEndian: Bool, type: UInt16 = 3, count: UInt32 = 1) -> [UInt8] {
    func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      withUnsafeBytes(of: isLittleEndian ? number.littleEndian : number.bigEndian, Array.init)
    }
    let order: [UInt8] = isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D]
    var bytes: [UInt8] = order + number(UInt16(42)) + number(UInt32(10)) + [0, 0]
    bytes += number(UInt16(2))
    bytes += number(UInt16(0x0100)) + number(UInt16(4)) + number(UInt32(1)) + number(UInt32(24))
    bytes += number(UInt16(0x0112)) + number(type) + number(count) + number(value) + [0, 0]
    return bytes + [0, 0, 0, 0]
  }

  static func jpeg(_ exif: [UInt8], _ file: [UInt8]) -> [UInt8] {
    let content = Array("Exif\0\0".utf8) + exif
    return file[..<2] + [0xFF, 0xE1, 0, UInt8(content.count + 2)] + content + file[2...]
  }

  static func png(_ exif: [UInt8], _ file: [UInt8]) -> [UInt8] {
    // libpng does not read this chunk here, so that its checksum does not matter.
    file[..<33] + [0, 0, 0, UInt8(exif.count)] + Array("eXIf".utf8) + exif + [0, 0, 0, 0] + file[33...]
  }

  /// Where row 0 and column 0 of the stored pixels are in the upright picture (CIPA DC-008, 4.6.5): for each value, the
  /// stored column and row of an upright one.
  static let places: [@Sendable (Int, Int) -> (Int, Int)] = [
    { ($0, $1) }, { (23 - $0, $1) }, { (23 - $0, 15 - $1) }, { ($0, 15 - $1) },
    { ($1, $0) }, { ($1, 15 - $0) }, { (23 - $1, 15 - $0) }, { (23 - $1, $0) },
  ]

  @Test("all eight orientations are turned upright, in colour and in grey, of JPEG and PNG", arguments: 1...8)
  func turned(_ value: Int) throws {
    let place = Self.places[value - 1]
    let width = value > 4 ? 16 : 24
    let size = ImageSize(width: width, height: 40 - width)
    for isLittleEndian in [true, false] {
      let exif = Self.exif(UInt16(value), isLittleEndian: isLittleEndian)
      for (file, worst) in [
        (Self.jpeg(exif, try Drawing.fixture("rgb-colours.jpg")), 0),
        (Self.jpeg(exif, try Drawing.fixture("cmyk.jpg")), 2),
        (Self.png(exif, try Drawing.fixture("rgb.png")), 0),
      ] {
        let picture = try Picture(decoding: file)
        #expect(picture.size == size)
        #expect(
          Drawing.worst(picture.pixels, width: width) { x, y in
            let (column, row) = place(x, y)
            return Drawing.colour(column, row)
          } <= worst)
        let page = try GrayPicture(decoding: file)
        #expect(page.width == size.width && page.height == size.height)
        let difference = page.withPixels { pixels in
          Drawing.worst(pixels.flatMap { [$0, $0, $0] }, width: width) { x, y in
            let (column, row) = place(x, y)
            return Array(repeating: Drawing.luminance(Drawing.colour(column, row)), count: 3)
          }
        }
        #expect(difference <= worst + 2)
      }
    }
  }

  @Test("EXIF that states no valid orientation leaves the pixels as they are")
  func invalid() throws {
    let file = try Drawing.fixture("rgb-colours.jpg")
    let whole = try Picture(decoding: file)
    let valid = Self.exif(6, isLittleEndian: true)
    var far = valid
    far.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0x7F])
    for exif in [
      Self.exif(0, isLittleEndian: true), Self.exif(9, isLittleEndian: false),
      Self.exif(6, isLittleEndian: true, type: 4),
      Self.exif(6, isLittleEndian: true, count: 2), Array(valid.prefix(30)), Array(valid.prefix(5)), [], far,
    ] {
      #expect(try Picture(decoding: Self.jpeg(exif, file)) == whole)
    }
    // The first EXIF segment counts.
    let twice = Self.jpeg(Self.exif(1, isLittleEndian: true), Self.jpeg(valid, file))
    #expect(try Picture(decoding: twice) == whole)
  }

  @Test("a JPEG for a browser has no EXIF, and one that lies on a side or is unusual is not given to it")
  func forBrowsers() throws {
    let file = try Drawing.fixture("rgb.jpg")
    #expect(Picture.upright(jpeg: file) == file)
    #expect(Picture.upright(jpeg: Self.jpeg(Self.exif(1, isLittleEndian: true), file)) == file)
    for value in UInt16(2)...8 {
      #expect(Picture.upright(jpeg: Self.jpeg(Self.exif(value, isLittleEndian: false), file)) == nil)
    }
    for name in ["cmyk.jpg", "ycck.jpg", "arithmetic.jpg", "twelve-bits.jpg", "lossless.jpg", "rgb.png", "rgb.jp2"] {
      #expect(Picture.upright(jpeg: try Drawing.fixture(name)) == nil, "\(name)")
    }
  }
}
