// Matrix and stacked barcodes in pictures by libzxing, which is loaded when the first symbol is looked for: a program
// starts without it.
//
// libzxing 2.3 (Debian 13) exports functions of C. libzxing 1.4 (Debian 12) has an interface of C++ only, which
// zxing.cpp calls; that file needs <ZXing/ReadBarcode.h> (libzxing-dev) at build time.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The kinds of symbols. The numbers are those of all versions of libzxing that are used here.
typedef enum {
  TESSERA_BARCODE_AZTEC = 1 << 0,
  TESSERA_BARCODE_DATA_MATRIX = 1 << 7,
  TESSERA_BARCODE_PDF417 = 1 << 12,
  TESSERA_BARCODE_QR_CODE = 1 << 13,
} tessera_barcode_format;

/// A picture of one byte of luminance a pixel, row by row from the top, and what to look for in it.
typedef struct {
  const uint8_t *_Nonnull pixels;
  int32_t width;
  int32_t height;
  /// The bytes from one row to the next.
  int32_t stride;
  /// One or more `tessera_barcode_format`.
  uint32_t formats;
  /// The most symbols of each search, 1 to 255.
  int32_t most_symbols;
} tessera_barcode_request;

/// A symbol whose error correction succeeded. The bytes are valid during the call that receives it only.
typedef struct {
  uint32_t format;
  const uint8_t *_Nullable bytes;
  size_t count;
  /// Whether all bytes are characters of a text, by the modes of the symbol.
  bool is_text;
  /// Whether the symbol is one of several that have the content together.
  bool is_part;
  /// x and y of the top left, top right, bottom right and bottom left corner, in the symbol's own orientation.
  int32_t corners[8];
} tessera_barcode;

typedef void (*tessera_barcode_receive)(const tessera_barcode *_Nonnull barcode, void *_Nonnull context);

/// A libzxing that was loaded. It stays loaded, and any number of threads may use it.
typedef struct tessera_barcode_library tessera_barcode_library;

/// Loads libzxing, from `folder` or, if that is NULL, from where the system has its libraries. Returns NULL if there is
/// none that can be used.
const tessera_barcode_library *_Nullable tessera_barcode_library_load(const char *_Nullable folder);

/// What a search, or the making of a symbol, may take.
typedef struct {
  /// Of the processor. At least 1.
  uint32_t processor_seconds;
  /// On the clock, on a busy machine, too. A thread that holds a lock of a library during fork(2) leaves it locked in the
  /// child, which then waits for ever.
  uint32_t clock_milliseconds;
  /// Of the address space, above what this process has.
  uint64_t memory_bytes;
} tessera_barcode_limits;

typedef enum {
  /// All symbols that libzxing finds were received.
  TESSERA_BARCODE_COMPLETE,
  /// libzxing crashed, ended the process, or had no memory.
  TESSERA_BARCODE_FAILED,
  /// The search came to no end within its limits of time.
  TESSERA_BARCODE_TOOK_TOO_LONG,
  /// There are too many processes or descriptors, no memory for another process, or no /proc; or the limits of the process were
  /// refused.
  TESSERA_BARCODE_NO_PROCESS,
} tessera_barcode_result;

/// Looks for symbols. The same one may be received several times.
///
/// libzxing runs in a child process, without the descriptors of this one. A picture is hostile input, and only a
/// process can be ended: a field of some thousand finder patterns of QR symbols keeps libzxing busy for hours, since
/// its time grows with their third power. Blocks the thread for as long.
///
/// Unless the result is `TESSERA_BARCODE_COMPLETE`, what was received is incomplete. `used` receives the microseconds of
/// the processor; if they are not known, those on the clock.
tessera_barcode_result tessera_barcodes_read(
  const tessera_barcode_library *_Nonnull library, const tessera_barcode_request *_Nonnull request,
  const tessera_barcode_limits *_Nonnull limits, tessera_barcode_receive _Nonnull receive, void *_Nonnull context,
  uint64_t *_Nonnull used);

/// What a symbol is to have.
typedef struct {
  tessera_barcode_format format;
  const uint8_t *_Nonnull bytes;
  size_t count;
  /// The light modules around the symbol.
  int32_t margin;
} tessera_barcode_content;

/// Receives the modules of a symbol with its margin, a byte each, row by row from the top: 0 is a light one. They are valid
/// during the call only.
typedef void (*tessera_barcode_receive_modules)(
  const uint8_t *_Nonnull modules, int32_t width, int32_t height, void *_Nonnull context);

#ifdef __cplusplus
extern "C"
#endif
/// Makes a symbol, in a child process as a search: libzxing ends the making with an exception of C++, which packaged programs
/// cannot catch. The result is `TESSERA_BARCODE_FAILED` if libzxing makes none, since the content does not fit into one.
tessera_barcode_result tessera_barcode_write(
  const tessera_barcode_library *_Nonnull library, const tessera_barcode_content *_Nonnull content,
  const tessera_barcode_limits *_Nonnull limits, tessera_barcode_receive_modules _Nonnull receive,
  void *_Nonnull context);
