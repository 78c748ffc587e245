import Foundation
import TesseraCore
import TesseraPictures
import TestSupport
import Testing

@testable import TesseraBarcodes

@Suite("Symbols are made")
struct WriterTests {
  static let everyByte = Array(UInt8.min...UInt8.max)

  @Test("every byte survives, also at the end and in a row", arguments: Barcode.Format.allCases)
  func everyByte(_ format: Barcode.Format) throws {
    let contents: [[UInt8]] = [
      Self.everyByte, Self.everyByte.reversed(), [0], [0, 0, 0x0D, 0x0A], Array("RDB1A2345".utf8),
    ]
    for bytes in contents {
      let picture = try BarcodeWriter(format).write(bytes)
      let read = try BarcodeReader(.picture, formats: [format]).read(picture)
      #expect(read.map(\.bytes) == [bytes])
      #expect(read.map(\.format) == [format])
    }
  }

  @Test("random bytes of many lengths", arguments: [Barcode.Format.dataMatrix, .qrCode, .pdf417])
  func random(_ format: Barcode.Format) throws {
    var generator = SeededGenerator(seed: 46)
    for length in stride(from: 1, through: 400, by: 19) {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      _ = try BarcodeWriter(format).write(bytes)
    }
  }

  @Test("an Aztec symbol that libzxing 1.4 writes wrongly is refused, not returned")
  func wrong() throws {
    // In one of some 150 Aztec symbols, version 1.4 writes a byte as another one: 7E as 7D here.
    let bytes = try #require(
      [UInt8](
        hexadecimal: "dc0a6b0450202368707d1b3718e3264f64fa485aa17d6d5a97e8705a9f837822"
          + "02001ac3451f8fb50ed5cb29e3fe40151e5b71f8f6f827b1b462cc4ff21fb550"
          + "89"))
    do {
      let picture = try BarcodeWriter(.aztec).write(bytes)
      #expect(try BarcodeReader(.picture, formats: [.aztec]).read(picture).map(\.bytes) == [bytes])
    } catch {
      #expect(error as? BarcodeWriterError == .unreadable(.aztec))
    }
  }

  @Test("modules have the size that is asked for, black on white, with a margin", arguments: [1, 3, 6, 40])
  func size(_ size: Int) throws {
    let picture = try BarcodeWriter(.dataMatrix).write(Self.everyByte, moduleSize: size)
    // 64 modules of the symbol, and two at each side.
    #expect(picture.width == 68 * size && picture.height == 68 * size)
    picture.withPixels { pixels in
      #expect(Set(pixels) == [0, 255])
      #expect(pixels.prefix(2 * size * picture.width).allSatisfy { $0 == 255 })
      // The corner of the solid edges.
      #expect(pixels[(picture.height - 2 * size - 1) * picture.width + 2 * size] == 0)
    }
  }

  @Test("what does not fit is refused", arguments: Barcode.Format.allCases)
  func tooLong(_ format: Barcode.Format) throws {
    let bytes = [UInt8](repeating: 0x80, count: 4000)
    #expect(throws: BarcodeWriterError.tooLong(format, 4000)) { try BarcodeWriter(format).write(bytes) }
    #expect(throws: BarcodeWriterError.tooLong(format, 0)) { try BarcodeWriter(format).write([]) }
  }

  @Test("a picture that would be too large is refused")
  func tooLarge() throws {
    let bytes = [UInt8](repeating: 0x41, count: 900)
    #expect(throws: BarcodeWriterError.tooLarge) { try BarcodeWriter(.pdf417).write(bytes, moduleSize: 40) }
  }

  @Test("without libzxing, the error names the package to install")
  func missing() throws {
    let folder = try TemporaryFolder()
    #expect(throws: BarcodeWriterError.library(.missingLibrary)) {
      try BarcodeWriter(.qrCode, folder: folder.url.path).write([1])
    }
    let failure = BarcodeWriterError.library(.missingLibrary).failure
    #expect(failure.remedy?.contains("apt install libzxing2") == true)
  }
}

extension RealPrograms {
  @Suite(
    "Symbols that other programs read",
    .enabled(if: SymbolPrograms.isEnabled, "\(SymbolPrograms.unavailableReason)"))
  struct WrittenSymbolTests {
    @Test("every byte", arguments: [Barcode.Format.dataMatrix, .qrCode])
    func everyByte(_ format: Barcode.Format) async throws {
      let shell = try KeyShell()
      let picture = try BarcodeWriter(format).write(WriterTests.everyByte)
      try Data(picture.png()).write(to: shell.folder.url.appendingPathComponent("symbol.png"))
      let command =
        format == .dataMatrix ? SymbolPrograms.dataMatrix("symbol.png") : SymbolPrograms.qrCode("symbol.png")
      let run = try await shell.run(command + " > read")
      #expect(run.status == 0, "\(run.errors)")
      #expect(shell.folder.bytes("read") == WriterTests.everyByte)
    }
  }
}
