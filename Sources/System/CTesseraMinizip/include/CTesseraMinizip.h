// minizip over memory: minizip itself opens files by name only.
#pragma once
#include <minizip/unzip.h>
#include <minizip/zip.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes in memory, and the place of the next read or write.
typedef struct {
  uint8_t *_Nullable bytes;
  size_t count;
  size_t capacity;
  size_t position;
} tessera_zip_memory;

/// Opens an archive for reading. `memory` holds its bytes, which are not changed; both must outlive the result.
/// Returns NULL if minizip finds no archive. The caller ends with unzClose.
unzFile _Nullable tessera_zip_reader(tessera_zip_memory *_Nonnull memory);

/// Starts an archive in `memory`, which must be zeroed and must outlive the result. The caller ends with zipClose, and
/// then with tessera_zip_free. Returns NULL if memory is exhausted.
zipFile _Nullable tessera_zip_writer(tessera_zip_memory *_Nonnull memory);

/// Frees the bytes that a writer allocated.
void tessera_zip_free(tessera_zip_memory *_Nonnull memory);
