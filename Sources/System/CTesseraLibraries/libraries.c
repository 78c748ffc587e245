#ifdef TESSERA_LOAD_AT_FIRST_CALL

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

enum {
#define LIBRARY(identifier, file, packages) LIBRARY_##identifier,
#define FUNCTION(library, name)
#include "libraries.h"
#undef LIBRARY
#undef FUNCTION
  LIBRARY_COUNT
};

// Arrays of characters instead of pointers: the loader would have to relocate each pointer at the start.
enum { FILE_SIZE = 24, PACKAGES_SIZE = 56, NAME_SIZE = 55 };

struct library {
  char file[FILE_SIZE];
  char packages[PACKAGES_SIZE];
};

static const struct library libraries[] = {
#define LIBRARY(identifier, file, packages) {file, packages},
#define FUNCTION(library, name)
#include "libraries.h"
#undef LIBRARY
#undef FUNCTION
};

#define LIBRARY(identifier, file, packages)                     \
  _Static_assert(sizeof file <= FILE_SIZE, file " is too long"); \
  _Static_assert(sizeof packages <= PACKAGES_SIZE, packages " is too long");
#define FUNCTION(library, name)
#include "libraries.h"
#undef LIBRARY
#undef FUNCTION

static _Atomic(void *) handles[LIBRARY_COUNT];

// Two threads may load a library at once: dlopen returns the same handle to both.
static void *open_library(size_t library) {
  void *handle = atomic_load_explicit(&handles[library], memory_order_acquire);
  if (handle != NULL) return handle;
  handle = dlopen(libraries[library].file, RTLD_NOW | RTLD_LOCAL);
  if (handle != NULL) atomic_store_explicit(&handles[library], handle, memory_order_release);
  return handle;
}

struct function {
  uint8_t library;
  char name[NAME_SIZE];
};

// In the order of the numbers in calls.S.
static const struct function functions[] = {
#define LIBRARY(identifier, file, packages)
#define FUNCTION(library, name) {LIBRARY_##library, #name},
#include "libraries.h"
#undef LIBRARY
#undef FUNCTION
};

#define LIBRARY(identifier, file, packages)
#define FUNCTION(library, name) _Static_assert(sizeof #name <= NAME_SIZE, #name " is too long");
#include "libraries.h"
#undef LIBRARY
#undef FUNCTION

enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

// The address of each function, NULL before its first call. calls.S reads it.
__attribute__((visibility("hidden"))) _Atomic(void *) tessera_library_functions[FUNCTION_COUNT];

// NULL if the library or the function is missing.
static void *find(size_t number) {
  void *library = open_library(functions[number].library);
  if (library == NULL) return NULL;
  void *address = dlsym(library, functions[number].name);
  // Another thread stores the same address.
  if (address != NULL) atomic_store_explicit(&tessera_library_functions[number], address, memory_order_release);
  return address;
}

// Writes one line about the missing library or function and ends the process, since the caller expects a result.
// `_exit`, because other threads still run, and a handler of `exit` may release what they use.
_Noreturn static void end_process(size_t number) {
  const struct library *library = &libraries[functions[number].library];
  const char *program = program_invocation_short_name;
  char line[512];
  int count;
  if (atomic_load_explicit(&handles[functions[number].library], memory_order_acquire) != NULL) {
    count = snprintf(
      line, sizeof line, "%s: %s has no function %s. Install a newer version of the package %s.\n", program,
      library->file, functions[number].name, library->packages);
  } else {
    const char *reason = dlerror();
    if (reason == NULL) reason = "unknown reason";
    // The loader begins with the name of a missing file, which the line states already.
    size_t length = strlen(library->file);
    if (strncmp(reason, library->file, length) == 0 && strncmp(reason + length, ": ", 2) == 0) reason += length + 2;
    count = snprintf(
      line, sizeof line, "%s: cannot load %s: %s. Install the package %s.\n", program, library->file, reason,
      library->packages);
  }
  if (count >= (int)sizeof line) {
    count = sizeof line;
    line[count - 1] = '\n';
  }
  if (count > 0 && write(STDERR_FILENO, line, (size_t)count) < 0) {
    // Nobody reads standard error; the status remains.
  }
  _exit(EX_UNAVAILABLE);
}

// calls.S calls this at the first call of a function.
__attribute__((visibility("hidden"))) void *tessera_library_function(uint32_t number) {
  int error = errno;
  void *address = find(number);
  if (address == NULL) end_process(number);
  errno = error;
  return address;
}

#endif
