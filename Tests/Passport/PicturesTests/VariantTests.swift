import TesseraPassport
import Testing

@testable import TesseraPictures

/// Kinds of files beyond the usual ones. `Fixtures/make` has their makers.
@Suite("Variants of picture files")
struct VariantTests {
  struct Variant: Sendable, CustomTestStringConvertible {
    let file: String
    /// The largest difference: that of djpeg 2.1.5 for JPEG, of opj_decompress 2.5.0 for JPEG 2000.
    var worst = 0
    var colour: @Sendable (Int, Int) -> [Int] = { Drawing.colour($0, $1) }

    var testDescription: String { file }
  }

  private static let grey: @Sendable (Int, Int) -> [Int] = { x, _ in [x * 10, x * 10, x * 10] }
  private static let indexed: @Sendable (Int, Int) -> [Int] = { x, _ in [x * 10, 0, 255 - x] }

  static let variants: [Variant] = [
    Variant(file: "sampling-1x2.jpg", worst: 6), Variant(file: "sampling-4x1.jpg", worst: 12),
    Variant(file: "sampling-3x1.jpg", worst: 7), Variant(file: "sampling-4x2.jpg", worst: 15),
    Variant(file: "sampling-1x1-2x2-1x1.jpg", worst: 8), Variant(file: "sampling-2x2-2x1-1x2.jpg", worst: 4),
    Variant(file: "arithmetic.jpg", worst: 9), Variant(file: "restart.jpg", worst: 9),
    Variant(file: "rgb-colours.jpg"), Variant(file: "cmyk.jpg", worst: 2), Variant(file: "ycck.jpg", worst: 7),
    Variant(file: "grey-2x2.jpg", worst: 2) { x, y in
      Array(repeating: Drawing.luminance(Drawing.colour(x, y)), count: 3)
    },
    Variant(file: "definition.jp2"), Variant(file: "sixteen-bits.jp2"), Variant(file: "cmyk.jp2", worst: 1),
    Variant(file: "sycc.jp2", worst: 9), Variant(file: "palette.jp2", colour: indexed),
    Variant(file: "opacity.jp2") { x, y in (x + y) % 2 == 0 ? [255, 255, 255] : Drawing.colour(x, y) },
    Variant(file: "grey-opacity.jp2") { x, y in (x + y) % 2 == 0 ? [255, 255, 255] : grey(x, y) },
    Variant(file: "rgb.png"), Variant(file: "interlaced.png"), Variant(file: "sixteen-bits.png"),
    Variant(file: "grey-sixteen-bits.png", colour: grey),
    Variant(file: "grey-opacity.png") { x, y in (x + y) % 2 == 0 ? [255, 255, 255] : grey(x, y) },
    Variant(file: "palette.png") { x, y in x == 0 ? [255, 255, 255] : indexed(x, y) },
  ]

  @Test("the pixels are those of the drawing, in colour and in grey", arguments: variants)
  func pixels(_ variant: Variant) throws {
    let data = try Drawing.fixture(variant.file)
    let picture = try Picture(decoding: data)
    #expect(picture.size == ImageSize(width: Drawing.width, height: Drawing.height) && !picture.isDamaged)
    #expect(Drawing.worst(picture.pixels, variant.colour) <= variant.worst)
    // A zone is read by the same decoder; JPEG gives its luminance directly, or from the colours it stores.
    let page = try GrayPicture(decoding: data)
    #expect(page.width == Drawing.width && page.height == Drawing.height)
    let difference = page.withPixels { pixels in
      Drawing.worst(pixels.flatMap { [$0, $0, $0] }) { x, y in
        Array(repeating: Drawing.luminance(variant.colour(x, y)), count: 3)
      }
    }
    #expect(difference <= variant.worst + 2)
  }

  // MARK: JPEG 2000 boxes

  private static func box(_ kind: String, _ content: [UInt8], length: Int? = nil) -> [UInt8] {
    let length = length ?? content.count + 8
    return (0..<4).reversed().map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) } + kind.utf8 + content
  }

  /// The parts of `rgb.jp2`: before the header box, its content, and the codestream.
  private static func parts() throws -> (start: [UInt8], header: [UInt8], codestream: [UInt8]) {
    let file = try Drawing.fixture("rgb.jp2")
    let header = try #require(file.indices.first { file[$0...].starts(with: "jp2h".utf8) })
    let codestream = try #require(file.indices.first { file[$0...].starts(with: "jp2c".utf8) })
    return (
      Array(file[..<(header - 4)]), Array(file[(header + 4)..<(codestream - 4)]), Array(file[(codestream + 4)...])
    )
  }

  @Test("a codestream that is shorter than its box is shown and marked as damaged", arguments: [1, 2, 9])
  func truncated(_ missing: Int) throws {
    let (start, header, codestream) = try Self.parts()
    let cut = Array(codestream.dropLast(missing))
    let bare = try Picture(decoding: cut)
    let extended: [UInt8] = [0, 0, 0, 0, 0, 0, 0x7F, 0xFF]
    for (name, box) in [
      ("stated", Self.box("jp2c", cut, length: codestream.count + 8)),
      ("four gigabytes", Self.box("jp2c", cut, length: 0xFFFF_FFFF)),
      ("sixteen exabytes", Self.box("jp2c", [UInt8](repeating: 0xFF, count: 8) + cut, length: 1)),
      ("extended", Self.box("jp2c", extended + cut, length: 1)),
    ] {
      let picture = try Picture(decoding: start + Self.box("jp2h", header) + box)
      #expect(picture.isDamaged && picture.pixels == bare.pixels, "\(name)")
    }
    #expect(bare.isDamaged && (missing > 2 || Drawing.worst(bare.pixels, Drawing.colour) == 0))
    let open = try Picture(decoding: start + Self.box("jp2h", header) + Self.box("jp2c", cut, length: 0))
    #expect(open == bare)
  }

  @Test("boxes of any kind and length around the codestream do not matter")
  func boxes() throws {
    let (start, header, codestream) = try Self.parts()
    let image = Self.box("jp2h", header) + Self.box("jp2c", codestream)
    let extended: [UInt8] = [
      0, 0, 0, 0, 0, 0, UInt8((codestream.count + 16) >> 8), UInt8((codestream.count + 16) & 0xFF),
    ]
    let resolution = Self.box("res ", Self.box("resc", [1, 44, 0, 1, 1, 44, 0, 1, 2, 2]))
    let layer = Self.box("jplh", Self.box("cgrp", Array(header.dropFirst(22))))
    for (name, file) in [
      ("unknown boxes before", start + Self.box("uuid", [1, 2, 3]) + Self.box("free", []) + image),
      ("a resolution", start + Self.box("jp2h", header + resolution) + Self.box("jp2c", codestream)),
      ("XL", start + Self.box("jp2h", header) + Self.box("jp2c", extended + codestream, length: 1)),
      ("up to the end", start + Self.box("jp2h", header) + Self.box("jp2c", codestream, length: 0)),
      ("a layer", start + layer + Self.box("jp2c", codestream)),
      ("a broken box behind", start + image + [0, 0, 0, 3]),
    ] {
      let picture = try Picture(decoding: file)
      #expect(!picture.isDamaged && Drawing.worst(picture.pixels, Drawing.colour) == 0, "\(name)")
    }
    #expect(throws: PictureError.unreadable(.truncated)) {
      try Picture(decoding: start + Self.box("jp2h", header, length: 9000) + Self.box("jp2c", codestream))
    }
  }

  @Test("a channel or a column that does not exist is refused")
  func roles() throws {
    let palette = try Drawing.fixture("palette.jp2")
    let mapping = try #require(palette.indices.first { palette[$0...].starts(with: "cmap".utf8) })
    for (offset, byte): (Int, UInt8) in [(5, 9), (7, 200)] {
      var file = palette
      file[mapping + offset] = byte
      #expect(throws: PictureError.unreadable(.malformed("component mapping"))) { try Picture(decoding: file) }
    }
    // A definition of channels that do not exist leaves the order.
    let definition = try Drawing.fixture("definition.jp2")
    let start = try #require(definition.indices.first { definition[$0...].starts(with: "cdef".utf8) })
    var file = definition
    for entry in 0..<3 { file[start + 6 + entry * 6] = 0xFF }
    let picture = try Picture(decoding: file)
    #expect(Drawing.worst(picture.pixels) { Drawing.colour($0, $1).reversed() } == 0)
  }

  // MARK: JPEG segments

  @Test("bytes between segments, fill bytes and whatever follows the end are passed over")
  func between() throws {
    let jpeg = try Drawing.fixture("rgb.jpg")
    let whole = try Picture(decoding: jpeg)
    #expect(try Picture(decoding: jpeg + [UInt8](repeating: 0x41, count: 300)) == whole)
    #expect(try Picture(decoding: jpeg + Drawing.fixture("grey.jpg")) == whole)
    #expect(try Picture(decoding: jpeg[..<20] + [0xFF, 0xFF, 0xFF] + jpeg[20...]) == whole)
    let garbage = try Picture(decoding: jpeg[..<20] + [0, 1, 2, 0x41] + jpeg[20...])
    #expect(garbage.pixels == whole.pixels && garbage.isDamaged)
  }

  @Test("a second frame header of another size never changes the size of the picture")
  func twoFrames() throws {
    let jpeg = try Drawing.fixture("rgb.jpg")
    let start = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC0]) })
    var other = Array(jpeg[start..<(start + 19)])
    (other[5], other[7]) = (8, 8)
    for file in [jpeg[..<start] + other + jpeg[start...], jpeg[..<(start + 19)] + other + jpeg[(start + 19)...]] {
      #expect(throws: PictureError.undecodable(.jpeg)) { try Picture(decoding: Array(file)) }
      #expect(throws: PictureError.undecodable(.jpeg)) { try GrayPicture(decoding: Array(file)) }
    }
  }

  @Test("a progressive JPEG without its last scans is shown and marked as damaged")
  func progressive() throws {
    let file = try Drawing.fixture("progressive.jpg")
    let picture = try Picture(decoding: Array(file.prefix(file.count * 8 / 10)))
    #expect(picture.isDamaged && Drawing.worst(picture.pixels, Drawing.colour) < 60)
  }
}
