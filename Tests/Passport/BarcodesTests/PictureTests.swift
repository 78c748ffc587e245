import TesseraCryptography
import TesseraPictures
import TestSupport
import Testing

@testable import TesseraBarcodes

@Suite("Symbols in pictures")
struct PictureTests {
  static let pictures = Fixtures.json("Passport/BarcodesTests", "pictures/pictures.json")["pictures"].list
  /// The Aztec symbol that is turned by 7 degrees: libzxing 1.4 reads no Aztec symbol that is turned by one.
  static let wished = "06-aztec-etd-v4-p256.png"

  @Test("there are thirteen pictures")
  func count() { #expect(Self.pictures.count == 13) }

  @Test("a picture gives its content, byte for byte", arguments: pictures.filter { $0["file"].text != wished })
  func content(_ vector: Vector) throws {
    let picture = try Pictures.fixture("pictures/" + vector["file"].text)
    for effort in BarcodeReader.Effort.allCases {
      let barcodes = try BarcodeReader(effort).read(picture)
      #expect(barcodes.map(\.format.rawValue) == [vector["symbol"].text])
      #expect(try barcodes.map { try HashAlgorithm.sha256.digest(of: $0.bytes) } == [vector["content_sha256"].bytes])
      #expect(barcodes.map(\.content.isSeal) == [true])
    }
  }

  @Test("a symbol that is not read gives nothing, or its content")
  func wish() throws {
    let vector = try #require(Self.pictures.first { $0["file"].text == Self.wished })
    let barcodes = try BarcodeReader().read(try Pictures.fixture("pictures/" + Self.wished))
    #expect(try barcodes.allSatisfy { try HashAlgorithm.sha256.digest(of: $0.bytes) == vector["content_sha256"].bytes })
  }

  @Test("the content is text or not, and the corners are those of the symbol")
  func properties() throws {
    let seal = try #require(
      try BarcodeReader().read(try Pictures.fixture("pictures/00-datamatrix-etd-v4-p256.png")).first)
    #expect(!seal.isText)
    #expect(seal.corners.count == 4)
    let text = try #require(try BarcodeReader().read(try Pictures.fixture("pictures/09-qrcode-vacc-es256.png")).first)
    #expect(text.isText)
    #expect(String(decoding: text.bytes, as: UTF8.self).hasPrefix("{"))
    // The symbols of this picture lie beside each other.
    let both = try BarcodeReader().read(try Pictures.fixture("made/seal-and-certificate.png"))
    let certificate = try #require(both.first { $0.format == .qrCode })
    let right = try #require(certificate.corners.map(\.x).max())
    let left = try #require(certificate.corners.map(\.x).min())
    #expect((30...50).contains(left))
    #expect((110...150).contains(right))
  }

  @Test("a large picture is read at a smaller size, and its corners are those of the large one")
  func large() throws {
    let small = try Pictures.symbol(try Pictures.fixture("pictures/00-datamatrix-etd-v4-p256.png"), margin: 120)
    let pixels = small.withPixels(Array.init)
    let large = try Pictures.drawn(small.width * 4, small.height * 4) { pixels[$1 / 4 * small.width + $0 / 4] }
    // So large that a frame is smaller.
    #expect(large.width * large.height > 2_304_000)
    let expected = try #require(try BarcodeReader().read(small).first)
    let found = try #require(try BarcodeReader().read(large).first)
    #expect(found.bytes == expected.bytes)
    for (corner, other) in zip(found.corners, expected.corners) {
      #expect(abs(corner.x - 4 * other.x) <= 16)
      #expect(abs(corner.y - 4 * other.y) <= 16)
    }
  }

  @Test("a small symbol in a large picture is found")
  func small() throws {
    let symbol = try Pictures.fixture("pictures/00-datamatrix-etd-v4-p256.png")
    let half = try #require(symbol.halved())
    let picture = try Pictures.part(half, -1000..<3000, -1000..<2000)
    #expect(try BarcodeReader().read(picture).map(\.bytes) == (try BarcodeReader().read(symbol)).map(\.bytes))
    // Not with the time for one size only, which is not the same as a picture that shows nothing.
    var short = BarcodeSearch(try .system(), .picture, Set(Barcode.Format.allCases), mostTime: .zero)
    try short.run(picture)
    #expect(throws: BarcodeError.tookTooLong) { try short.result() }
  }

  static let places = [(0, 0), (300, 40), (1000, 0), (0, 300), (700, 180), (1050, 500), (20, 490), (480, 500)]
  static let symbols = [
    "00-datamatrix-etd-v4-p256", "01-datamatrix-etd-v4-p256", "07-pdf417-etd-v4-p256", "08-qrcode-etd-v4-p256",
    "12-datamatrix-pub-idb-supplementarysheetresidencepermit",
  ]

  @Test("a symbol may be anywhere in a frame", arguments: symbols)
  func anywhere(_ file: String) throws {
    let symbol = try Pictures.symbol(try Pictures.fixture("pictures/\(file).png"), margin: 10)
    let expected = try BarcodeReader(.frame).read(symbol)
    #expect(expected.count == 1)
    for turns in 0..<4 {
      let turned = try Pictures.turned(symbol, quarters: turns)
      for (x, y) in Self.places {
        let left = min(x, 1280 - turned.width)
        let top = min(y, 720 - turned.height)
        let frame = try Pictures.part(turned, -left..<(1280 - left), -top..<(720 - top))
        let found = try BarcodeReader(.frame).read(frame)
        #expect(found.map(\.bytes) == expected.map(\.bytes), "\(turns) quarters, \(left), \(top)")
        let places = found.flatMap(\.corners)
        #expect(places.allSatisfy { (left..<left + turned.width).contains($0.x) })
        #expect(places.allSatisfy { (top..<top + turned.height).contains($0.y) })
      }
    }
  }

  @Test("only the wished kinds are looked for")
  func formats() throws {
    let picture = try Pictures.fixture("made/seal-and-certificate.png")
    #expect(Set(try BarcodeReader().read(picture).map(\.format)) == [.dataMatrix, .qrCode])
    #expect(try BarcodeReader(formats: [.qrCode]).read(picture).map(\.content) == [.euHealthCertificate])
    #expect(try BarcodeReader(formats: [.aztec, .pdf417]).read(picture).isEmpty)
  }

  @Test("a slanting PDF417 symbol is read on request", arguments: [14, 33, 57])
  func slanting(_ degrees: Int) throws {
    let straight = try Pictures.symbol(try Pictures.fixture("pictures/07-pdf417-etd-v4-p256.png"))
    let expected = try #require(try BarcodeReader().read(straight).first)
    let turned = try #require(TurnedPicture(straight, degrees: degrees))
    #expect(try BarcodeReader(.picture).read(turned.picture).isEmpty)
    let found = try #require(try BarcodeReader(.slantingPicture).read(turned.picture).first)
    #expect(found.format == .pdf417)
    #expect(found.bytes == expected.bytes)
    // Turned back, the corners are those of the straight symbol, whichever comes first.
    let corners = found.corners.map { turned.original($0.x, $0.y) }
    for corner in expected.corners {
      #expect(corners.contains { abs($0.x - corner.x) < 24 && abs($0.y - corner.y) < 24 })
    }
  }

  @Test("a symbol that is one of several is refused")
  func part() throws {
    let part = try Pictures.fixture("made/part.png")
    #expect(throws: BarcodeError.partOfSeveral) { try BarcodeReader().read(part) }
    let both = try Pictures.fixture("made/part-and-whole.png")
    #expect(try BarcodeReader().read(both).map(\.content) == [.euHealthCertificate])
  }

  @Test("no more than sixteen symbols are kept, and each content once")
  func most() {
    var received = ReceivedBarcodes()
    received.barcodes = (0..<20).map {
      Barcode(format: .qrCode, bytes: [UInt8($0 / 2)], isText: false, corners: [])
    }
    var found = FoundBarcodes()
    found.add(received) { Barcode.Corner(x: $0, y: $1) }
    #expect(found.barcodes.map(\.bytes) == (0..<10).map { [$0] })
    #expect(!found.isFull)
    received.barcodes = (0..<20).map {
      Barcode(format: .qrCode, bytes: [UInt8($0)], isText: false, corners: [])
    }
    found.add(received) { Barcode.Corner(x: $0, y: $1) }
    #expect(found.barcodes.count == BarcodeReader.mostSymbols)
    #expect(found.isFull)
  }

  @Test("a search ends with a whole seal, and not with what only begins like one")
  func whole() throws {
    let whole = try Pictures.fixture("pictures/00-datamatrix-etd-v4-p256.png")
    let seal = try #require(try BarcodeReader().read(whole).first)
    #expect(seal.isWholeSeal)
    var received = ReceivedBarcodes()
    var found = FoundBarcodes()
    for bytes in [[0xDC], [0xDC, 0x03, 0xD9, 0xC5], Array("RDB1D".utf8), Array("{\"data\":1,\"sig\":".utf8)] {
      received.barcodes = [Barcode(format: .qrCode, bytes: bytes, isText: false, corners: [])]
      found.add(received) { Barcode.Corner(x: $0, y: $1) }
    }
    #expect(found.barcodes.count == 4 && found.barcodes.allSatisfy(\.content.isSeal))
    #expect(!found.hasSeal)
    received.barcodes = [seal]
    found.add(received) { Barcode.Corner(x: $0, y: $1) }
    #expect(found.hasSeal)
  }

  @Test("a description has no content")
  func description() {
    let barcode = Barcode(format: .qrCode, bytes: Array("SECRET".utf8), isText: true, corners: [])
    var dumped = ""
    dump(barcode, to: &dumped)
    for text in ["\(barcode)", barcode.debugDescription, dumped] {
      #expect(!text.contains("SECRET") && !text.contains("83"))
      #expect(text.contains("QRCode"))
    }
  }
}
