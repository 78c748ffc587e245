import Foundation
import TestSupport
import Testing

/// A libzxing that a test makes with gcc, in a folder.
enum MadeLibrary {
  /// A libzxing 1.4, which ends in a search.
  ///
  /// - Parameter search: statements of C.
  static func first(_ search: String) throws -> TemporaryFolder {
    let names = [
      "_ZNK5ZXing6Result5bytesEv", "_ZNK5ZXing6Result11contentTypeEv", "_ZNK5ZXing6Result12sequenceSizeEv",
    ]
    let functions = names.map { "void \($0)(void) {}" }
    let searching = "void _ZN5ZXing12ReadBarcodesERKNS_9ImageViewERKNS_11DecodeHintsE(void) { \(search) }"
    return try made(as: "libZXing.so.2", (headers + functions + [searching]).joined(separator: "\n"))
  }

  /// A libzxing 2.3, with its functions of C.
  ///
  /// - Parameters:
  ///   - search: statements of C, which call `found(bytes, count)` for a QR symbol.
  ///   - handingOver: the same, for each symbol.
  ///   - writing: the same, where a symbol is made.
  static func second(_ search: String, handingOver: String = "", writing: String = "") throws -> TemporaryFolder {
    let code = #"""
      typedef struct { int x, y; } point;
      typedef struct { point corners[4]; } position;
      typedef struct { int count; uint8_t bytes[16384]; } symbol;
      static symbol symbols[64];
      static int symbol_count, width, height;
      static void found(const void *bytes, int count) {
        symbols[symbol_count].count = count;
        memcpy(symbols[symbol_count++].bytes, bytes, (size_t)count);
      }
      void *ZXing_ImageView_new(const uint8_t *pixels, int columns, int rows, int format, int row, int pixel) {
        width = columns, height = rows;
        return symbols;
      }
      void ZXing_ImageView_delete(void *view) {}
      void *ZXing_ReaderOptions_new(void) { return symbols; }
      void ZXing_ReaderOptions_delete(void *options) {}
      void ZXing_ReaderOptions_setFormats(void *options, int formats) {}
      void ZXing_ReaderOptions_setTryHarder(void *options, bool value) {}
      void ZXing_ReaderOptions_setTryDownscale(void *options, bool value) {}
      void ZXing_ReaderOptions_setMaxNumberOfSymbols(void *options, int count) {}
      void *ZXing_ReadBarcodes(const void *view, const void *options) { \#(search); return symbols; }
      void ZXing_Barcodes_delete(void *barcodes) {}
      int ZXing_Barcodes_size(const void *barcodes) { return symbol_count; }
      const void *ZXing_Barcodes_at(const void *barcodes, int index) { return &symbols[index % 64]; }
      bool ZXing_Barcode_isValid(const void *barcode) { return true; }
      int ZXing_Barcode_format(const void *barcode) { return 1 << 13; }
      int ZXing_Barcode_contentType(const void *barcode) { return 0; }
      uint8_t *ZXing_Barcode_bytes(const void *barcode, int *count) {
        \#(handingOver);
        const symbol *own = barcode;
        uint8_t *bytes = malloc((size_t)own->count + 1);
        memcpy(bytes, own->bytes, (size_t)own->count);
        *count = own->count;
        return bytes;
      }
      position ZXing_Barcode_position(const void *barcode) {
        return (position){{{1, 2}, {3, 4}, {-5, 6}, {7, 2147483647}}};
      }
      void ZXing_free(void *bytes) { free(bytes); }
      int _ZNK5ZXing6Result12sequenceSizeEv(const void *barcode) { return -1; }
      void *_ZNK5ZXing17MultiFormatWriter6encodeERKNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEEEii(void) {
        \#(writing);
        abort();
      }
      """#
    return try made(as: "libZXing.so.3", headers.joined(separator: "\n") + "\n" + code)
  }

  private static let headers =
    ["#define _GNU_SOURCE"]
    + [
      "fcntl.h", "signal.h", "stdbool.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "sys/mman.h",
      "sys/prctl.h", "sys/resource.h", "sys/stat.h", "unistd.h",
    ].map { "#include <\($0)>" }

  private static func made(as name: String, _ code: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let source = folder.file("made.c")
    try (code + "\n").write(toFile: source, atomically: true, encoding: .utf8)
    let options = ["-shared", "-fPIC", "-O0", "-w", "-o", folder.file(name), source]
    try #require(ProgramRun.succeeds("/usr/bin/gcc", options))
    return folder
  }
}
