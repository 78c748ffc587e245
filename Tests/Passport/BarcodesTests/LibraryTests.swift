import Foundation
import TesseraCore
import TesseraPictures
import TestSupport
import Testing

@testable import TesseraBarcodes

@Suite("libzxing is loaded when a symbol is looked for")
struct LibraryTests {
  @Test("without the library, the error names the package to install")
  func missing() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("no-libzxing-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let picture = try Pictures.fixture("pictures/00-datamatrix-etd-v4-p256.png")
    #expect(throws: BarcodeError.missingLibrary) { try BarcodeReader(.picture, folder: folder).read(picture) }
    let long = String(repeating: "/x", count: 4096)
    #expect(throws: BarcodeError.missingLibrary) { try BarcodeReader(.picture, folder: long).read(picture) }
    let failure = BarcodeError.missingLibrary.failure
    #expect(failure.kind == .serviceUnavailable)
    #expect(failure.remedy?.contains("apt install libzxing2") == true)
    // The reader of the system's library is not affected.
    try BarcodeReader.prepare()
    #expect(try BarcodeReader().read(picture).count == 1)
  }

  @Test("a file that is no library, or another one, is not used", arguments: ["libZXing.so.2", "libZXing.so.3"])
  func other(_ name: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("other-libzxing-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(name)
    let picture = try Pictures.fixture("pictures/00-datamatrix-etd-v4-p256.png")
    try Data("no library".utf8).write(to: file)
    #expect(throws: BarcodeError.missingLibrary) { try BarcodeReader(.picture, folder: folder.path).read(picture) }
    // A library without these functions.
    try FileManager.default.removeItem(at: file)
    let system = try #require(
      ["/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6"].first {
        FileManager.default.fileExists(atPath: $0)
      })
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: system)
    #expect(throws: BarcodeError.missingLibrary) { try BarcodeReader(.picture, folder: folder.path).read(picture) }
  }

  @Test("many threads read at once")
  func threads() async throws {
    let files = ["00-datamatrix-etd-v4-p256", "05-aztec-etd-v4-p256", "07-pdf417-etd-v4-p256", "08-qrcode-etd-v4-p256"]
    let pictures = try files.map { try Pictures.fixture("pictures/\($0).png") }
    let expected = try pictures.map { try BarcodeReader(.frame).read($0) }
    #expect(expected.allSatisfy { $0.count == 1 })
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for round in 0..<32 {
        let index = round % pictures.count
        group.addTask { try BarcodeReader(.frame).read(pictures[index]) == expected[index] }
      }
      for try await isEqual in group { #expect(isEqual) }
    }
  }

  @Test("a cancelled task ends the search")
  func cancelled() async throws {
    let picture = try Pictures.plain(1280, 960)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try BarcodeReader(.slantingPicture).read(picture)
    }
    task.cancel()
    #expect(try await task.value.isEmpty)
  }
}
