#define _GNU_SOURCE
#include "library.h"
#include "zxing.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: - The functions of C that libzxing 2.3 exports

typedef struct {
  int x, y;
} zxing_point;

typedef struct {
  zxing_point corners[4];
} zxing_position;

// ZXing_ImageFormat_Lum and ZXing_ContentType_Text.
enum { LUMINANCE = 0x01000000, TEXT = 0 };

// Of the functions that read; enumerations are passed as integers.
typedef struct {
  void *(*view_new)(const uint8_t *pixels, int width, int height, int format, int row_stride, int pixel_stride);
  void (*view_delete)(void *view);
  void *(*options_new)(void);
  void (*options_delete)(void *options);
  void (*set_formats)(void *options, int formats);
  void (*set_try_harder)(void *options, bool value);
  void (*set_try_downscale)(void *options, bool value);
  void (*set_most_symbols)(void *options, int count);
  void *(*read)(const void *view, const void *options);
  void (*barcodes_delete)(void *barcodes);
  int (*size)(const void *barcodes);
  const void *(*at)(const void *barcodes, int index);
  bool (*is_valid)(const void *barcode);
  int (*format)(const void *barcode);
  int (*content_type)(const void *barcode);
  uint8_t *(*bytes)(const void *barcode, int *count);
  zxing_position (*position)(const void *barcode);
  void (*free)(void *bytes);
  // A member function of C++, which version 2.3 does not offer in C. Its pointers to barcodes are those to the objects.
  int (*sequence_size)(const void *barcode);
} functions;

struct tessera_barcode_library {
  // NULL where the interface of C++ is used.
  functions *functions;
  // What tessera_zxing_load found there.
  void *zxing;
  // What write.cpp calls. NULL for none.
  void *encode;
};

static bool find_functions(void *handle, functions *found) {
  struct {
    const char *name;
    void *target;
  } const names[] = {
    {"ZXing_ImageView_new", &found->view_new},
    {"ZXing_ImageView_delete", &found->view_delete},
    {"ZXing_ReaderOptions_new", &found->options_new},
    {"ZXing_ReaderOptions_delete", &found->options_delete},
    {"ZXing_ReaderOptions_setFormats", &found->set_formats},
    {"ZXing_ReaderOptions_setTryHarder", &found->set_try_harder},
    {"ZXing_ReaderOptions_setTryDownscale", &found->set_try_downscale},
    {"ZXing_ReaderOptions_setMaxNumberOfSymbols", &found->set_most_symbols},
    {"ZXing_ReadBarcodes", &found->read},
    {"ZXing_Barcodes_delete", &found->barcodes_delete},
    {"ZXing_Barcodes_size", &found->size},
    {"ZXing_Barcodes_at", &found->at},
    {"ZXing_Barcode_isValid", &found->is_valid},
    {"ZXing_Barcode_format", &found->format},
    {"ZXing_Barcode_contentType", &found->content_type},
    {"ZXing_Barcode_bytes", &found->bytes},
    {"ZXing_Barcode_position", &found->position},
    {"ZXing_free", &found->free},
    {"_ZNK5ZXing6Result12sequenceSizeEv", &found->sequence_size},
  };
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    void *address = dlsym(handle, names[index].name);
    if (address == NULL) return false;
    memcpy(names[index].target, &address, sizeof address);
  }
  return true;
}

// Returns false without memory.
static bool receive_barcode(
  const functions *zxing, const void *result, tessera_barcode_receive receive, void *context
) {
  int count = 0;
  uint8_t *bytes = zxing->bytes(result, &count);
  if (bytes == NULL) return false;
  tessera_barcode barcode = {
    .format = (uint32_t)zxing->format(result),
    .bytes = bytes,
    .count = count > 0 ? (size_t)count : 0,
    .is_text = zxing->content_type(result) == TEXT,
    .is_part = zxing->sequence_size(result) != -1,
  };
  zxing_position position = zxing->position(result);
  for (size_t index = 0; index < 4; index++) {
    barcode.corners[2 * index] = position.corners[index].x;
    barcode.corners[2 * index + 1] = position.corners[index].y;
  }
  receive(&barcode, context);
  // Personal data.
  explicit_bzero(bytes, barcode.count);
  zxing->free(bytes);
  return true;
}

static bool receive_barcodes(
  const functions *zxing, const void *results, tessera_barcode_receive receive, void *context
) {
  int count = zxing->size(results);
  for (int index = 0; index < count; index++) {
    const void *result = zxing->at(results, index);
    if (!zxing->is_valid(result)) continue;
    if (!receive_barcode(zxing, result, receive, context)) return false;
  }
  return true;
}

static bool read_by_functions(
  const functions *zxing, const tessera_barcode_request *request, tessera_barcode_receive receive, void *context
) {
  void *options = zxing->options_new();
  void *view =
    zxing->view_new(request->pixels, request->width, request->height, LUMINANCE, request->stride, sizeof(uint8_t));
  void *results = NULL;
  if (options != NULL && view != NULL) {
    zxing->set_formats(options, (int)request->formats);
    // Otherwise DataMatrix symbols are found in the middle of the picture only.
    zxing->set_try_harder(options, true);
    // The caller has its own smaller pictures.
    zxing->set_try_downscale(options, false);
    zxing->set_most_symbols(options, request->most_symbols);
    results = zxing->read(view, options);
  }
  bool is_complete = results != NULL && receive_barcodes(zxing, results, receive, context);
  if (results != NULL) zxing->barcodes_delete(results);
  if (view != NULL) zxing->view_delete(view);
  if (options != NULL) zxing->options_delete(options);
  return is_complete;
}

// MARK: - Loading

// `folder` may be NULL.
static void *open_library(const char *folder, const char *name) {
  char path[PATH_MAX];
  int length = folder == NULL ? snprintf(path, sizeof path, "%s", name)
                              : snprintf(path, sizeof path, "%s/%s", folder, name);
  if (length < 0 || length >= (int)sizeof path) return NULL;
  // A library that is not used stays loaded: what it brought may not expect to be unloaded.
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// const ZXing::MultiFormatWriter, encode(const std::wstring &, int, int)
static const char *const encode_name =
  "_ZNK5ZXing17MultiFormatWriter6encodeERKNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEEEii";

static bool load(tessera_barcode_library *library, functions *found, const char *folder) {
  void *handle = open_library(folder, "libZXing.so.3");
  if (handle != NULL && find_functions(handle, found)) {
    library->functions = found;
    library->encode = dlsym(handle, encode_name);
    return true;
  }
  handle = open_library(folder, "libZXing.so.2");
  if (handle == NULL) return false;
  library->zxing = tessera_zxing_load(handle);
  library->encode = dlsym(handle, encode_name);
  return library->zxing != NULL;
}

const tessera_barcode_library *tessera_barcode_library_load(const char *folder) {
  tessera_barcode_library *library = calloc(1, sizeof *library);
  functions *found = calloc(1, sizeof *found);
  if (library == NULL || found == NULL || !load(library, found, folder)) {
    free(library);
    free(found);
    return NULL;
  }
  if (library->functions == NULL) free(found);
  return library;
}

// MARK: - Reading

bool tessera_barcode_library_read(
  const tessera_barcode_library *library, const tessera_barcode_request *request, tessera_barcode_receive receive,
  void *context
) {
  if (library->functions != NULL) return read_by_functions(library->functions, request, receive, context);
  return tessera_zxing_read(library->zxing, request, receive, context);
}

// MARK: - Writing

void *tessera_barcode_library_encoder(const tessera_barcode_library *library, bool *is_newer) {
  *is_newer = library->functions != NULL;
  return library->encode;
}
