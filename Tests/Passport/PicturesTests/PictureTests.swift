import CTesseraPNG
import Foundation
import TesseraPassport
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraPictures

@Suite("Pictures of documents")
struct PictureTests {
  static func fixture(_ name: String) throws -> [UInt8] { try Drawing.fixture(name) }

  /// Fixtures, with the largest difference caused by their compression.
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case colourFile = "rgb.jp2"
    case colourCodestream = "rgb.j2k"
    case tiles = "tiles.j2k"
    case greyFile = "grey.jp2"
    case twelveBits = "deep.j2k"
    case jpeg = "rgb.jpg"
    case progressive = "progressive.jpg"
    case greyJPEG = "grey.jpg"

    var testDescription: String { rawValue }

    var tolerance: Int {
      switch self {
      case .jpeg, .progressive, .greyJPEG: 6
      case .colourFile, .colourCodestream, .tiles, .greyFile, .twelveBits: 0
      }
    }

    func pixel(_ x: Int, _ y: Int) -> [Int] {
      switch self {
      case .colourFile, .colourCodestream, .tiles, .jpeg, .progressive: [x * 10, y * 15, (x + y) * 6]
      case .greyFile, .greyJPEG: [x * 10, x * 10, x * 10]
      case .twelveBits: Array(repeating: x * 170 * 255 / 4095, count: 3)
      }
    }
  }

  @Test("decodes every pixel of the drawing, and encodes it as PNG", arguments: Kind.allCases)
  func pixels(_ kind: Kind) throws {
    let picture = try Picture(decoding: try Self.fixture(kind.rawValue))
    #expect(picture.size == ImageSize(width: 24, height: 16) && !picture.isDamaged)
    #expect(picture.pixels.count == 24 * 16 * 3)
    var worst = 0
    for y in 0..<16 {
      for x in 0..<24 {
        for (channel, expected) in kind.pixel(x, y).enumerated() {
          worst = max(worst, abs(Int(picture.pixels[(y * 24 + x) * 3 + channel]) - expected))
        }
      }
    }
    #expect(worst <= kind.tolerance)
    #expect(try Self.pixels(ofPNG: try picture.png(), picture.size) == picture.pixels)
  }

  /// As libpng reads them.
  private static func pixels(ofPNG file: [UInt8], _ size: ImageSize) throws -> [UInt8] {
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    defer { png_image_free(&image) }
    try #require(png_image_begin_read_from_memory(&image, file, file.count) != 0)
    #expect(Int(image.width) == size.width && Int(image.height) == size.height)
    image.format = UInt32(PNG_FORMAT_FLAG_COLOR)
    var pixels = [UInt8](repeating: 0, count: size.width * size.height * 3)
    try #require(png_image_finish_read(&image, nil, &pixels, 0, nil) != 0)
    return pixels
  }

  @Test("decodes the portraits of the specimens, also the one that lacks its last byte")
  func portraits() throws {
    let small = try Picture(decoding: SpecimenDocument.smallPortrait)
    let large = try Picture(decoding: SpecimenDocument.portrait)
    #expect(small.size == ImageSize(width: 207, height: 266) && large.size == ImageSize(width: 413, height: 531))
    // The same drawing at half the size, with another compression.
    var difference = 0
    for y in stride(from: 4, to: 260, by: 8) {
      for x in stride(from: 4, to: 200, by: 8) {
        difference += abs(Int(small.pixels[(y * 207 + x) * 3]) - Int(large.pixels[(y * 2 * 413 + x * 2) * 3]))
      }
    }
    #expect(difference / (32 * 25) < 12)
    let bsi = try #require(try DataGroup2(Fixtures.specimen("bsi2008", file: "Datagroup2.bin")).portrait)
    let picture = try Picture(decoding: bsi.data)
    #expect(picture.size == ImageSize(width: 413, height: 531))
    #expect(Set(picture.pixels).count > 200)
  }

  @Test("decodes a truncated picture as far as possible and marks it as damaged")
  func cut() throws {
    for name in ["rgb.jpg", "tiles.j2k"] {
      let whole = try Self.fixture(name)
      let picture = try Picture(decoding: Array(whole.prefix(whole.count * 7 / 10)))
      #expect(picture.isDamaged && picture.size.width == 24, "\(name)")
    }
  }

  // MARK: False headers

  /// A codestream with another size, in 32 bits each.
  private static func codestream(width: UInt32, height: UInt32, tile: UInt32? = nil) throws -> [UInt8] {
    var bytes = try fixture("rgb.j2k")
    func put(_ value: UInt32, _ offset: Int) {
      for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - index * 8)) }
    }
    put(width, 8)
    put(height, 12)
    put(tile ?? width, 24)
    put(tile ?? height, 28)
    return bytes
  }

  @Test("refuses an excessive size before allocating memory for it")
  func tooLarge() throws {
    var jpeg = try Self.fixture("rgb.jpg")
    let frame = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC0]) })
    for offset in 5..<9 { jpeg[frame + offset] = 0xFF }
    let square = ImageSize(width: 65_535, height: 65_535)
    let before = try Self.residentKilobytes()
    #expect(throws: PictureError.tooLarge(square)) { try Picture(decoding: jpeg) }
    let codestream = try Self.codestream(width: 65_535, height: 65_535)
    #expect(throws: PictureError.tooLarge(square)) { try Picture(decoding: codestream) }
    let largest = try Self.codestream(width: .max, height: .max, tile: 1)
    #expect(throws: PictureError.tooLarge(ImageSize(width: 4_294_967_295, height: 4_294_967_295))) {
      try Picture(decoding: largest)
    }
    // The pictures would need 12 gigabytes.
    #expect(try Self.residentKilobytes() - before < 200_000)
  }

  private static func residentKilobytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return try #require(Int(line.filter(\.isNumber)))
  }

  @Test("refuses a codestream with a million tiles or with excessive layers")
  func tooComplex() throws {
    let tiles = try Self.codestream(width: 1000, height: 1000, tile: 1)
    #expect(throws: PictureError.tooComplex) { try Picture(decoding: tiles) }
    var layers = try Self.codestream(width: 2000, height: 1000)
    // COD follows SIZ: style with precincts, 65,535 layers.
    let cod = try #require(layers.indices.first { layers[$0...].starts(with: [0xFF, 0x52]) })
    layers.replaceSubrange(
      cod..<cod + 14, with: [0xFF, 0x52, 0, 15, 1, 0, 0xFF, 0xFF, 1, 2, 4, 4, 0, 1, 0, 0, 0])
    #expect(throws: PictureError.tooComplex) { try Picture(decoding: layers) }
  }

  /// A codestream that consists of headers only: precincts of any size, code blocks of 4 by 4.
  struct Headers: Sendable, CustomTestStringConvertible {
    let width: Int
    let components: Int
    /// The exponents of the precinct sizes, for each resolution.
    let exponents: [UInt8]

    var testDescription: String { "\(width), \(components), \(exponents)" }

    var codestream: [UInt8] {
      func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
      }
      var size = number(0, 2) + number(width) + number(width) + number(0, 8) + number(width) + number(width)
      size += number(0, 8) + number(components, 2)
      for _ in 0..<components { size += [7, 1, 1] }
      let levels = UInt8(exponents.count - 1)
      let coding: [UInt8] = [1, 0, 0, 1, 0, levels, 0, 0, 0, 1] + exponents
      let steps = [UInt8](repeating: 0x40, count: 3 * Int(levels) + 2)
      var bytes: [UInt8] = [0xFF, 0x4F]
      for (marker, content) in [(UInt8(0x51), size), (0x52, coding), (0x5C, steps)] {
        bytes += [0xFF, marker] + number(content.count + 2, 2) + content
      }
      return bytes + [0xFF, 0x90, 0, 10, 0, 0, 0, 0, 0, 14, 0, 1, 0xFF, 0x93, 0xFF, 0xD9]
    }
  }

  /// OpenJPEG allocates from 0.5 to 1.65 gigabytes for each of them.
  static let costlyHeaders: [Headers] = [
    Headers(width: 1140, components: 3, exponents: [0xFF, 0x11]),
    Headers(width: 990, components: 1, exponents: [0x00]),
    Headers(width: 1970, components: 1, exponents: [0xFF, 0x11]),
    Headers(width: 1500, components: 4, exponents: [UInt8](repeating: 0xFF, count: 6)),
  ]

  @Test("refuses a hundred bytes that request a gigabyte of precincts or code blocks", arguments: costlyHeaders)
  func costly(_ headers: Headers) throws {
    #expect(headers.codestream.count < 140)
    #expect(throws: PictureError.tooComplex) { try Picture(decoding: headers.codestream) }
  }

  @Test("refuses a codestream with too many samples, and accepts half as many")
  func samples() throws {
    let many = Headers(width: 3160, components: 4, exponents: [UInt8](repeating: 0xFF, count: 6))
    #expect(throws: PictureError.tooLarge(ImageSize(width: 3160, height: 3160))) {
      try Picture(decoding: many.codestream)
    }
    // Code blocks of 64 by 64.
    let few = try Self.codestream(width: 1400, height: 1400)
    let cost = try CodestreamCost.check(try JPEG2000File(few[...]))
    // Three components of three resolutions, one precinct each: a side of 350 pixels has 6 blocks, one of 700 has 11.
    #expect(cost.precincts == 9 && cost.parts == 3 * ((1 + 36) + 3 * (1 + 36) + 3 * (1 + 121)), "\(cost)")
  }

  @Test("counts the precincts of all tiles of a codestream")
  func tiles() throws {
    let cost = try CodestreamCost.check(try JPEG2000File(try Self.fixture("tiles.j2k")[...]))
    // 24 x 16 pixels in tiles of 8 x 8, three components, two resolutions.
    #expect(cost.precincts == 6 * 3 * 2 && cost.parts == 6 * 3 * (1 + 3) * 2, "\(cost)")
  }

  @Test("encodes noise, which cannot be compressed")
  func noise() throws {
    var generator = SeededGenerator(seed: 7)
    let size = ImageSize(width: 8192, height: 480)
    // It repeats after half a megabyte, which is beyond PNG's window.
    let block = (0..<size.width * 60).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    var pixels: [UInt8] = []
    while pixels.count < size.width * size.height * 3 { pixels += block }
    let picture = Picture(size: size, pixels: pixels, isDamaged: false)
    let file = try picture.png()
    #expect(file.count > pixels.count)
    #expect(try Self.pixels(ofPNG: file, size) == pixels)
  }

  @Test("writes luminance as PNG without a loss")
  func grayPNG() throws {
    let size = (width: 37, height: 11)
    let pixels = (0..<size.width * size.height).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let picture = try GrayPicture(width: size.width, height: size.height) { target in
      for index in target.indices { target[index] = pixels[index] }
    }
    let read = try GrayPicture(decoding: picture.png())
    #expect(read.width == size.width && read.height == size.height)
    #expect(read.withPixels(Array.init) == pixels)
  }

  @Test("refuses data that are not a picture, with the reason")
  func refusals() throws {
    #expect(throws: PictureError.unreadable(.unknownFormat)) { try Picture(decoding: Array("no picture".utf8)) }
    #expect(throws: PictureError.unreadable(.unknownFormat)) { try Picture(decoding: []) }
    #expect(throws: PictureError.unreadable(.truncated)) { try Picture(decoding: [0xFF, 0xD8, 0xFF]) }
    #expect(throws: PictureError.unreadable(.truncated)) { try Picture(decoding: [0xFF, 0x4F, 0xFF, 0x51]) }
    let header = Array(try Self.fixture("rgb.j2k").prefix(90))
    #expect(throws: PictureError.self) { try Picture(decoding: header) }
    // A palette in the header box.
    var palette = try Self.fixture("rgb.jp2")
    let colour = try #require(palette.indices.first { palette[$0...].starts(with: Array("colr".utf8)) })
    palette.replaceSubrange(colour..<colour + 4, with: Array("pclr".utf8))
    #expect(throws: PictureError.unreadable(.malformed("palette"))) { try Picture(decoding: palette) }
  }

  // MARK: Fuzzing

  /// Runs a fixed number of inputs, or for the time in `TESSERA_FUZZ_SECONDS`.
  static let seconds = ProcessInfo.processInfo.environment["TESSERA_FUZZ_SECONDS"].flatMap(Double.init)

  /// Those that a checksum protects are almost never shown after a change.
  static let fuzzed =
    Kind.allCases.map(\.rawValue) + VariantTests.variants.map(\.file).filter { !$0.hasSuffix(".png") }

  @Test("modified images give a picture of the stated size, or a reason", arguments: fuzzed)
  func fuzz(_ kind: String) throws {
    let original = try Self.fixture(kind)
    let end = Self.seconds.map { ContinuousClock.now + .seconds($0) }
    let seed = Self.seconds == nil ? 1 : UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    var shown = 0
    var refused = 0
    repeat {
      for _ in 0..<100 {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          let reach = Bool.random(using: &generator) ? bytes.count : min(bytes.count, 180)
          let place = Int.random(in: 0..<reach, using: &generator)
          bytes[place] = UInt8.random(in: 0...255, using: &generator)
        }
        if Int.random(in: 0..<8, using: &generator) == 0 {
          bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
        }
        do {
          let picture = try Picture(decoding: bytes)
          #expect(picture.pixels.count == picture.size.width * picture.size.height * 3)
          let page = try GrayPicture(decoding: bytes)
          #expect(page.width == picture.size.width && page.height == picture.size.height)
          shown += 1
        } catch {
          refused += 1
        }
      }
    } while end.map { ContinuousClock.now < $0 } ?? false
    if Self.seconds != nil { print("\(kind): \(shown) shown, \(refused) refused, seed \(seed)") }
    #expect(shown > 5 && refused > 5, "\(shown) shown, \(refused) refused")
  }
}
