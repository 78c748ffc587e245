// libzxing 1.4 of Debian 12, which has an interface of C++ only. Its functions are looked up by their mangled names, so
// that nothing is linked with it.
#include "zxing.h"
#define ZX_USE_UTF8
#include <ZXing/ReadBarcode.h>
#include <algorithm>
#include <dlfcn.h>
#include <new>
#if __has_include(<ZXing/Version.h>)
#include <ZXing/Version.h>
#else
#include <ZXing/ZXVersion.h>
#endif

#if ZXING_VERSION_MAJOR == 1
using namespace ZXing;

// The compilers of Linux pass `this` as the first argument (Itanium C++ ABI), so members are called as functions.
struct Functions {
  Results (*read)(const ImageView &, const DecodeHints &);
  const ByteArray &(*bytes)(const Result *);
  ContentType (*content_type)(const Result *);
  int (*sequence_size)(const Result *);
};

template <typename Function>
static bool find(void *library, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(library, name));
  return function != nullptr;
}

static bool find(void *library, Functions &functions) {
  return find(library, "_ZN5ZXing12ReadBarcodesERKNS_9ImageViewERKNS_11DecodeHintsE", functions.read)
    && find(library, "_ZNK5ZXing6Result5bytesEv", functions.bytes)
    && find(library, "_ZNK5ZXing6Result11contentTypeEv", functions.content_type)
    && find(library, "_ZNK5ZXing6Result12sequenceSizeEv", functions.sequence_size);
}

// Looks for symbols in a part of a picture, whose top left corner is given.
static void read_part(
  const Functions &functions, const ImageView &part, PointI origin, const DecodeHints &hints,
  tessera_barcode_receive receive, void *context) {
  for (const Result &result : functions.read(part, hints)) {
    if (!result.isValid()) continue;
    const ByteArray &bytes = functions.bytes(&result);
    tessera_barcode barcode = {};
    barcode.format = uint32_t(result.format());
    barcode.bytes = bytes.data();
    barcode.count = bytes.size();
    barcode.is_text = functions.content_type(&result) == ContentType::Text;
    barcode.is_part = functions.sequence_size(&result) != -1;
    int32_t *corner = barcode.corners;
    for (const PointI &point : result.position()) *corner++ = origin.x + point.x, *corner++ = origin.y + point.y;
    receive(&barcode, context);
  }
}

void *tessera_zxing_load(void *library) {
  Functions functions;
  return find(library, functions) ? new (std::nothrow) Functions(functions) : nullptr;
}

bool tessera_zxing_read(
  const void *loaded, const tessera_barcode_request *request, tessera_barcode_receive receive, void *context) try {
  const Functions &functions = *static_cast<const Functions *>(loaded);
  DecodeHints hints;
  // The caller has its own smaller pictures.
  hints.setFormats(BarcodeFormat(request->formats)).setTryDownscale(false);
  hints.setMaxNumberOfSymbols(uint8_t(request->most_symbols));
  ImageView view(request->pixels, request->width, request->height, ImageFormat::Lum, request->stride);
  read_part(functions, view, {0, 0}, hints, receive, context);
  if (!hints.hasFormat(BarcodeFormat::DataMatrix)) return true;

  // As Debian compiles it, this version finds DataMatrix symbols only where the middle row or the middle column of a
  // picture crosses them. So bands of the picture follow, one around each row and column of a grid.
  const int step = 80, reach = 192;
  hints.setFormats(BarcodeFormat::DataMatrix);
  for (int row = step; row < view.height(); row += step) {
    int half = std::min({row, view.height() - row, reach});
    if (half < step / 2) continue;
    PointI origin = {0, row - half};
    read_part(functions, view.cropped(0, origin.y, view.width(), 2 * half), origin, hints, receive, context);
  }
  for (int column = step; column < view.width(); column += step) {
    int half = std::min({column, view.width() - column, reach});
    if (half < step / 2) continue;
    PointI origin = {column - half, 0};
    read_part(functions, view.cropped(origin.x, 0, 2 * half, view.height()), origin, hints, receive, context);
  }
  return true;
} catch (...) {
  // In the child process (search.c), which the exception would end otherwise.
  return false;
}
#else
// These headers are those of a version with functions of C.
void *tessera_zxing_load(void *) { return nullptr; }
bool tessera_zxing_read(const void *, const tessera_barcode_request *, tessera_barcode_receive, void *) { return false; }
#endif
