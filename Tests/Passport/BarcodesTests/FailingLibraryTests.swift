import Foundation
import TesseraPictures
import TestSupport
import Testing

@testable import TesseraBarcodes

extension RealPrograms {
  @Suite("A libzxing that fails", .serialized)
  struct FailingLibraryTests {
    /// What a libzxing 1.4 of the tests does in a search.
    static let ends = ["abort();", "*(volatile int *)0 = 1;", "for (;;);", "_exit(0);", "kill(getpid(), SIGKILL);"]

    @Test("a library that crashes or does not come to an end ends the search only", arguments: ends)
    func crash(_ end: String) throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bad-libzxing-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let source = folder.appendingPathComponent("bad.c")
      let names = [
        "_ZNK5ZXing6Result5bytesEv", "_ZNK5ZXing6Result11contentTypeEv", "_ZNK5ZXing6Result12sequenceSizeEv",
      ]
      let code =
        ["#define _GNU_SOURCE", "#include <signal.h>", "#include <stdlib.h>", "#include <unistd.h>"]
        + names.map { "void \($0)(void) {}" }
        + ["void _ZN5ZXing12ReadBarcodesERKNS_9ImageViewERKNS_11DecodeHintsE(void) { \(end) }"]
      try Data((code.joined(separator: "\n") + "\n").utf8).write(to: source)
      let compiler = Process()
      compiler.executableURL = URL(fileURLWithPath: "/usr/bin/gcc")
      compiler.arguments = ["-shared", "-fPIC", "-o", folder.appendingPathComponent("libZXing.so.2").path, source.path]
      try compiler.run()
      compiler.waitUntilExit()
      #expect(compiler.terminationStatus == 0)
      let picture = try Pictures.plain(64, 64)
      #expect(throws: BarcodeError.failed) { try BarcodeReader(.frame, folder: folder.path).read(picture) }
      // The reader of the system's library is not affected.
      #expect(try BarcodeReader(.frame).read(picture).isEmpty)
    }
  }
}
