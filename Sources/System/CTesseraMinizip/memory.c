#include "CTesseraMinizip.h"
#include <stdlib.h>
#include <string.h>

static voidpf open_memory(voidpf memory, const void *name, int mode) {
  (void)name, (void)mode;
  return memory;
}

static uLong read_memory(voidpf opaque, voidpf stream, void *target, uLong size) {
  (void)opaque;
  tessera_zip_memory *memory = stream;
  size_t rest = memory->count - memory->position;
  size_t length = size < rest ? size : rest;
  if (length != 0) memcpy(target, memory->bytes + memory->position, length);
  memory->position += length;
  return length;
}

static uLong write_nothing(voidpf opaque, voidpf stream, const void *source, uLong size) {
  (void)opaque, (void)stream, (void)source, (void)size;
  return 0;
}

static uLong write_memory(voidpf opaque, voidpf stream, const void *source, uLong size) {
  (void)opaque;
  tessera_zip_memory *memory = stream;
  size_t end;
  if (size == 0 || __builtin_add_overflow(memory->position, size, &end)) return 0;
  if (end > memory->capacity) {
    size_t capacity = memory->capacity < SIZE_MAX / 2 ? memory->capacity * 2 : SIZE_MAX;
    if (capacity < end) capacity = end;
    uint8_t *bytes = realloc(memory->bytes, capacity);
    if (bytes == NULL) return 0;
    memory->bytes = bytes;
    memory->capacity = capacity;
  }
  memcpy(memory->bytes + memory->position, source, size);
  memory->position = end;
  if (end > memory->count) memory->count = end;
  return size;
}

static ZPOS64_T tell_memory(voidpf opaque, voidpf stream) {
  (void)opaque;
  return ((tessera_zip_memory *)stream)->position;
}

// An archive states its own offsets, so the target may lie anywhere. A place after the end is refused.
static long seek_memory(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin) {
  (void)opaque;
  tessera_zip_memory *memory = stream;
  size_t base = 0;
  if (origin == ZLIB_FILEFUNC_SEEK_CUR) base = memory->position;
  if (origin == ZLIB_FILEFUNC_SEEK_END) base = memory->count;
  size_t target;
  if (__builtin_add_overflow(base, offset, &target) || target > memory->count) return -1;
  memory->position = target;
  return 0;
}

static int close_memory(voidpf opaque, voidpf stream) {
  (void)opaque, (void)stream;
  return 0;
}

static int no_error(voidpf opaque, voidpf stream) {
  (void)opaque, (void)stream;
  return 0;
}

static zlib_filefunc64_def functions(tessera_zip_memory *memory, write_file_func write) {
  zlib_filefunc64_def functions = {
    .zopen64_file = open_memory,
    .zread_file = read_memory,
    .zwrite_file = write,
    .ztell64_file = tell_memory,
    .zseek64_file = seek_memory,
    .zclose_file = close_memory,
    .zerror_file = no_error,
    .opaque = memory,
  };
  return functions;
}

unzFile tessera_zip_reader(tessera_zip_memory *memory) {
  zlib_filefunc64_def table = functions(memory, write_nothing);
  return unzOpen2_64("", &table);
}

zipFile tessera_zip_writer(tessera_zip_memory *memory) {
  zlib_filefunc64_def table = functions(memory, write_memory);
  return zipOpen2_64("", APPEND_STATUS_CREATE, NULL, &table);
}

void tessera_zip_free(tessera_zip_memory *memory) {
  free(memory->bytes);
  memset(memory, 0, sizeof *memory);
}
