// What library.c needs from zxing.cpp.
#pragma once
#include "CTesseraBarcodes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Looks up the functions of libzxing 1.4, whose handle of dlopen(3) is `library`. Returns NULL if that is another version.
void *_Nullable tessera_zxing_load(void *_Nonnull library);

/// Looks for symbols with what `tessera_zxing_load` returned. Returns false if that fails. Needs no lock of the loader.
bool tessera_zxing_read(
  const void *_Nonnull loaded, const tessera_barcode_request *_Nonnull request, tessera_barcode_receive _Nonnull receive,
  void *_Nonnull context);

#ifdef __cplusplus
}
#endif
