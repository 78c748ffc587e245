// What search.c and write.cpp need from library.c.
#pragma once
#include "CTesseraBarcodes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Looks for symbols in this process, which is the child. Returns false if libzxing fails. Needs no lock of the loader.
bool tessera_barcode_library_read(
  const tessera_barcode_library *_Nonnull library, const tessera_barcode_request *_Nonnull request,
  tessera_barcode_receive _Nonnull receive, void *_Nonnull context);

/// The function that makes symbols, `ZXing::MultiFormatWriter::encode` for wide characters; NULL for none. `is_newer`
/// receives whether it is that of version 2.3.
void *_Nullable tessera_barcode_library_encoder(
  const tessera_barcode_library *_Nonnull library, bool *_Nonnull is_newer);

#ifdef __cplusplus
}
#endif
