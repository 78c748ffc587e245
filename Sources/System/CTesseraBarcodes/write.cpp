// Symbols by the writer of libzxing, which has an interface of C++ in versions 1.4 and 2.3. Its function is looked up by its
// mangled name and called with structures as these versions lay them out, whichever headers are installed.
#include "child.h"
#include "library.h"
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

// ZXing::MultiFormatWriter, which is only these members, and ZXing::BitMatrix: a byte for each module.
struct Version14 {
  struct Writer {
    int32_t format, character_set, margin, correction;
  };
  struct Matrix {
    int32_t width, height, row;
    std::vector<uint8_t> modules;
  };
  // CharacterSet::Unknown: characters below 256 become bytes.
  static int32_t character_set(const std::wstring &) { return 0; }
};

struct Version23 {
  struct Writer {
    int32_t format;
    uint8_t character_set;
    int32_t margin, correction;
  };
  struct Matrix {
    int32_t width, height;
    std::vector<uint8_t> modules;
  };
  // With CharacterSet::Unknown, this version refuses what ISO 8859-1 does not have. CharacterSet::BINARY takes every byte, and
  // says in QR and PDF417 symbols that they are bytes (ECI 899).
  static uint8_t character_set(const std::wstring &content) {
    return std::any_of(content.begin(), content.end(), [](wchar_t c) { return 0x80 <= c && c < 0xA0; }) ? 33 : 0;
  }
};

}  // namespace

template <typename Version>
static bool write(
  void *encode, const tessera_barcode_content &content, tessera_barcode_receive_modules receive, void *context) {
  using Writer = typename Version::Writer;
  using Matrix = typename Version::Matrix;
  // A character for each byte.
  const std::wstring characters(content.bytes, content.bytes + content.count);
  // The default error correction.
  const Writer writer = {int32_t(content.format), Version::character_set(characters), content.margin, -1};
  // The compilers of Linux pass `this` as the first argument (Itanium C++ ABI), so members are called as functions.
  auto function = reinterpret_cast<Matrix (*)(const Writer *, const std::wstring &, int, int)>(encode);
  const Matrix matrix = function(&writer, characters, 0, 0);
  bool is_whole = matrix.width > 0 && matrix.height > 0
    && matrix.modules.size() == size_t(matrix.width) * size_t(matrix.height);
  if (is_whole) receive(matrix.modules.data(), matrix.width, matrix.height, context);
  return is_whole;
}

namespace {

// What the child sends before the modules. It may be of any content.
struct Size {
  int32_t width, height;
};

// More than the symbols of all kinds have on a side.
constexpr int32_t most_modules = 4096;

struct Writing {
  const tessera_barcode_library *library;
  const tessera_barcode_content *content;
  tessera_barcode_receive_modules receive;
  void *context;
};

}  // namespace

static void send_modules(const uint8_t *modules, int32_t width, int32_t height, void *) {
  const Size size = {width, height};
  tessera_barcode_send(&size, sizeof size);
  tessera_barcode_send(modules, size_t(width) * size_t(height));
}

// In the child. libzxing throws an exception if the content does not fit into a symbol of the kind. Where the program is
// linked without the tables of exceptions, that ends the process.
static bool run(void *context) try {
  const Writing &wanted = *static_cast<const Writing *>(context);
  bool is_newer = false;
  void *encode = tessera_barcode_library_encoder(wanted.library, &is_newer);
  if (encode == nullptr) return false;
  return is_newer ? write<Version23>(encode, *wanted.content, send_modules, context)
                  : write<Version14>(encode, *wanted.content, send_modules, context);
} catch (...) {
  return false;
}

static tessera_barcode_result receive_modules(tessera_barcode_socket *socket, void *context) {
  const Writing &wanted = *static_cast<const Writing *>(context);
  Size size = {};
  tessera_barcode_result result = tessera_barcode_receive_bytes(socket, &size, sizeof size);
  if (result != TESSERA_BARCODE_COMPLETE) return result;
  if (std::min(size.width, size.height) < 1 || std::max(size.width, size.height) > most_modules) {
    return TESSERA_BARCODE_FAILED;
  }
  // Without exceptions.
  const size_t count = size_t(size.width) * size_t(size.height);
  uint8_t *modules = static_cast<uint8_t *>(std::malloc(count));
  if (modules == nullptr) return TESSERA_BARCODE_FAILED;
  result = tessera_barcode_receive_bytes(socket, modules, count);
  if (result == TESSERA_BARCODE_COMPLETE) wanted.receive(modules, size.width, size.height, wanted.context);
  std::free(modules);
  return result;
}

tessera_barcode_result tessera_barcode_write(
  const tessera_barcode_library *library, const tessera_barcode_content *content, const tessera_barcode_limits *limits,
  tessera_barcode_receive_modules receive, void *context) {
  Writing wanted = {library, content, receive, context};
  const tessera_barcode_work work = {run, receive_modules, &wanted};
  uint64_t used = 0;
  return tessera_barcode_run_child(&work, limits, &used);
}
