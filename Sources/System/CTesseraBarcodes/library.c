#define _GNU_SOURCE
#include "zxing.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

static bool load(tessera_barcode_library *library, functions *found, const char *folder) {
  void *handle = open_library(folder, "libZXing.so.3");
  if (handle != NULL && find_functions(handle, found)) {
    library->functions = found;
    return true;
  }
  handle = open_library(folder, "libZXing.so.2");
  if (handle == NULL) return false;
  library->zxing = tessera_zxing_load(handle);
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

// MARK: - The child process

// No symbol of a supported kind has more bytes.
enum { MOST_BYTES = 8192 };

static bool write_all(int descriptor, const void *bytes, size_t count) {
  const char *next = bytes;
  while (count > 0) {
    ssize_t written = write(descriptor, next, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    next += written;
    count -= (size_t)written;
  }
  return true;
}

// The longest wait for the child on a busy machine. A thread that holds a lock of a library during fork(2) leaves it
// locked in the child.
enum { MOST_MILLISECONDS = 30000 };

// Returns false at the end of the pipe, and when nothing comes, too.
static bool read_all(int descriptor, void *bytes, size_t count) {
  char *next = bytes;
  while (count > 0) {
    struct pollfd wait = {.fd = descriptor, .events = POLLIN};
    int ready = poll(&wait, 1, MOST_MILLISECONDS);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    ssize_t received = read(descriptor, next, count);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    next += received;
    count -= (size_t)received;
  }
  return true;
}

static void send_barcode(const tessera_barcode *barcode, void *context) {
  int descriptor = *(const int *)context;
  if (barcode->count == 0 || barcode->count > MOST_BYTES) return;
  // Its bytes follow.
  if (!write_all(descriptor, barcode, sizeof *barcode)) _exit(EXIT_FAILURE);
  if (!write_all(descriptor, barcode->bytes, barcode->count)) _exit(EXIT_FAILURE);
}

static bool search(
  const tessera_barcode_library *library, const tessera_barcode_request *request, tessera_barcode_receive receive,
  void *context
) {
  if (library->functions != NULL) return read_by_functions(library->functions, request, receive, context);
  return tessera_zxing_read(library->zxing, request, receive, context);
}

// In the child. All signals that can be blocked are.
_Noreturn static void run_child(
  const tessera_barcode_library *library, const tessera_barcode_request *request, uint32_t seconds, int descriptor
) {
  // A handler of this program, such as that of Swift, would start another program to describe the crash, which would show
  // the content and keep the pipe open.
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The memory has personal data and keys.
  prctl(PR_SET_DUMPABLE, 0);
  struct rlimit limit = {.rlim_cur = seconds, .rlim_max = seconds};
  if (setrlimit(RLIMIT_CPU, &limit) != 0) _exit(EXIT_FAILURE);
  // Nothing but the pipe stays open: a library in distress may write the content to standard error.
  enum { PIPE = 3 };
  if (descriptor != PIPE && dup2(descriptor, PIPE) < 0) _exit(EXIT_FAILURE);
  close_range(0, PIPE - 1, 0);
  close_range(PIPE + 1, ~0U, 0);
  int pipe = PIPE;
  if (!search(library, request, send_barcode, &pipe)) _exit(EXIT_FAILURE);
  static const tessera_barcode end;
  _exit(write_all(PIPE, &end, sizeof end) ? EXIT_SUCCESS : EXIT_FAILURE);
}

// Returns false if the child ends too early.
static bool receive_barcodes_of_child(int descriptor, tessera_barcode_receive receive, void *context) {
  uint8_t bytes[MOST_BYTES];
  tessera_barcode barcode;
  bool is_complete = false;
  while (!is_complete && read_all(descriptor, &barcode, sizeof barcode)) {
    is_complete = barcode.count == 0;
    if (is_complete || barcode.count > sizeof bytes || !read_all(descriptor, bytes, barcode.count)) break;
    barcode.bytes = bytes;
    receive(&barcode, context);
  }
  explicit_bzero(bytes, sizeof bytes);
  return is_complete;
}

// Returns the microseconds of the processor, 0 if another part of the program has waited for the child.
static uint64_t wait_for_child(pid_t child) {
  struct rusage usage;
  while (wait4(child, NULL, 0, &usage) < 0) {
    if (errno != EINTR) return 0;
  }
  return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
    + (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

bool tessera_barcodes_read(
  const tessera_barcode_library *library, const tessera_barcode_request *request, uint32_t seconds,
  tessera_barcode_receive receive, void *context, uint64_t *used
) {
  *used = 0;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  // The handlers of this process must not run in the child.
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  pid_t child = fork();
  if (child == 0) run_child(library, request, seconds, ends[1]);
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return false;
  }
  bool is_complete = receive_barcodes_of_child(ends[0], receive, context);
  close(ends[0]);
  if (!is_complete) kill(child, SIGKILL);
  *used = wait_for_child(child);
  return is_complete;
}
