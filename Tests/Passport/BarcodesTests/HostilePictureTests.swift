import TesseraPictures
import TestSupport
import Testing

@testable import TesseraBarcodes

@Suite("Pictures without a symbol, and hostile ones")
struct HostilePictureTests {
  static let sizes = [(1, 1), (1, 300), (300, 1), (2, 2), (3, 8), (39, 41), (640, 480), (1280, 720)]

  @Test("empty pictures show nothing", arguments: sizes)
  func empty(_ width: Int, _ height: Int) throws {
    for value: UInt8 in [0, 127, 255] {
      let picture = try Pictures.plain(width, height, value)
      #expect(try BarcodeReader(.frame).read(picture).isEmpty)
      #expect(try BarcodeReader(width < 640 ? .slantingPicture : .picture).read(picture).isEmpty)
    }
  }

  @Test("noise shows nothing", arguments: [(8, 8), (61, 97), (640, 480)])
  func noise(_ width: Int, _ height: Int) throws {
    for seed: UInt64 in 1...4 {
      #expect(try BarcodeReader().read(try Pictures.noise(width, height, seed: seed)).isEmpty)
    }
  }

  static let patterns: [(String, @Sendable (Int, Int) -> UInt8)] = [
    ("stripes of one pixel", { column, _ in column % 2 == 0 ? 0 : 255 }),
    ("a chess board of one pixel", { ($0 + $1) % 2 == 0 ? 0 : 255 }),
    ("a chess board of four pixels", { ($0 / 4 + $1 / 4) % 2 == 0 ? 0 : 255 }),
    // Rings about a grid of centres: the finder patterns of QR and Aztec symbols, a thousand times.
    ("rings", { max(abs($0 % 36 - 18), abs($1 % 36 - 18)) / 4 % 2 == 0 ? 0 : 255 }),
    // The start pattern of PDF417, 8 1 1 1 1 1 1 3 modules of two pixels, beside itself.
    ("starts of PDF417", { column, _ in (0b1111_1111_0101_0100_0 >> (16 - column / 2 % 17)) & 1 == 1 ? 0 : 255 }),
    // L shapes: the finder patterns of DataMatrix symbols.
    ("corners", { ($0 % 44 < 4 || $1 % 44 >= 40) || ($1 % 44 < 4 && $0 / 4 % 2 == 0) ? 0 : 255 }),
  ]

  @Test("finder patterns without content end in time", arguments: patterns.map(\.0))
  func pattern(_ name: String) throws {
    let pattern = try #require(Self.patterns.first { $0.0 == name }?.1)
    let picture = try Pictures.drawn(640, 480, pattern)
    for effort in [BarcodeReader.Effort.frame, .picture] {
      #expect(try BarcodeReader(effort).read(picture).allSatisfy { !$0.content.isSeal })
    }
  }

  @Test("a search that would take hours is given up")
  func field() throws {
    // The finder pattern of QR symbols, 2 pixels a module, five thousand times.
    let picture = try Pictures.drawn(1920, 1080) { column, row in
      let ring = max(abs(column % 20 - 8), abs(row % 20 - 8)) / 2
      return ring < 2 || ring == 3 ? 0 : 255
    }
    for effort in [BarcodeReader.Effort.frame, .picture] {
      #expect(throws: BarcodeError.tookTooLong) { try BarcodeReader(effort).read(picture) }
    }
    // Other kinds of symbols are still looked for.
    #expect(try BarcodeReader(.frame, formats: [.dataMatrix]).read(picture).isEmpty)
  }

  @Test("turning a picture ends in time, too")
  func slanting() throws {
    let pattern = try #require(Self.patterns.first { $0.0 == "starts of PDF417" }?.1)
    let picture = try Pictures.drawn(320, 240, pattern)
    #expect(try BarcodeReader(.slantingPicture).read(picture).isEmpty)
  }

  static let files = [
    "00-datamatrix-etd-v4-p256", "05-aztec-etd-v4-p256", "07-pdf417-etd-v4-p256", "08-qrcode-etd-v4-p256",
  ]

  @Test("a damaged symbol gives its content or nothing", arguments: files)
  func damaged(_ file: String) throws {
    let picture = try Pictures.symbol(try Pictures.fixture("pictures/\(file).png"))
    let whole = try #require(try BarcodeReader(.frame).read(picture).first)
    let columns = whole.corners.map(\.x)
    let rows = whole.corners.map(\.y)
    let (left, right) = (try #require(columns.min()), try #require(columns.max()))
    let (top, bottom) = (try #require(rows.min()), try #require(rows.max()))
    var generator = SeededGenerator(seed: 7)
    var unread = 0
    for blots in 1...24 {
      let damaged = try Pictures.changed(picture) { pixels in
        for _ in 0..<(3 * blots) {
          let (x, y) = (
            Int.random(in: left...right, using: &generator), Int.random(in: top...bottom, using: &generator)
          )
          let value: UInt8 = Bool.random(using: &generator) ? 0 : 255
          for row in y..<min(y + 6, picture.height) {
            for column in x..<min(x + 6, picture.width) { pixels[row * picture.width + column] = value }
          }
        }
      }
      let barcodes = try BarcodeReader(.frame).read(damaged)
      if barcodes.isEmpty { unread += 1 }
      #expect(barcodes.allSatisfy { $0.bytes == whole.bytes })
    }
    // Otherwise the blots would be too small to show anything.
    #expect(unread > 0)
  }

  @Test("the largest picture is searched at a smaller size")
  func largest() throws {
    let picture = try Pictures.plain(GrayPicture.longestSide, 2000)
    #expect(try BarcodeReader().read(picture).isEmpty)
  }
}
