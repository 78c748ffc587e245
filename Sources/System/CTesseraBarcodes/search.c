#define _GNU_SOURCE
#include "child.h"
#include "library.h"
#include <string.h>

// No symbol of a supported kind has more bytes.
enum { MOST_BYTES = 8192 };

// libzxing 1.4 searches some hundred bands of a picture.
enum { MOST_MESSAGES = 1 << 16 };

// What the child sends for each symbol; its bytes follow. The last one has none. It may be of any content, as the picture.
typedef struct {
  uint32_t format, count;
  uint8_t is_text, is_part;
  int32_t corners[8];
} message;

typedef struct {
  const tessera_barcode_library *library;
  const tessera_barcode_request *request;
  tessera_barcode_receive receive;
  void *context;
} search;

// MARK: - The child process

static void send_barcode(const tessera_barcode *barcode, void *context) {
  (void)context;
  if (barcode->count == 0 || barcode->count > MOST_BYTES) return;
  message sent = {
    .format = barcode->format,
    .count = (uint32_t)barcode->count,
    .is_text = barcode->is_text,
    .is_part = barcode->is_part,
  };
  memcpy(sent.corners, barcode->corners, sizeof sent.corners);
  tessera_barcode_send(&sent, sizeof sent);
  tessera_barcode_send(barcode->bytes, barcode->count);
}

static bool run(void *context) {
  const search *wanted = context;
  if (!tessera_barcode_library_read(wanted->library, wanted->request, send_barcode, context)) return false;
  static const message end;
  tessera_barcode_send(&end, sizeof end);
  return true;
}

// MARK: - The parent process

static tessera_barcode_result receive_barcodes(tessera_barcode_socket *socket, void *context) {
  const search *wanted = context;
  uint8_t bytes[MOST_BYTES];
  tessera_barcode_result result = TESSERA_BARCODE_FAILED;
  for (int count = 0; count < MOST_MESSAGES; count++) {
    message received;
    result = tessera_barcode_receive_bytes(socket, &received, sizeof received);
    if (result != TESSERA_BARCODE_COMPLETE || received.count == 0) break;
    result =
      received.count > MOST_BYTES ? TESSERA_BARCODE_FAILED : tessera_barcode_receive_bytes(socket, bytes, received.count);
    if (result != TESSERA_BARCODE_COMPLETE) break;
    tessera_barcode barcode = {
      .format = received.format,
      .bytes = bytes,
      .count = received.count,
      .is_text = received.is_text != 0,
      .is_part = received.is_part != 0,
    };
    memcpy(barcode.corners, received.corners, sizeof barcode.corners);
    wanted->receive(&barcode, wanted->context);
    result = TESSERA_BARCODE_FAILED;
  }
  // Personal data.
  explicit_bzero(bytes, sizeof bytes);
  return result;
}

tessera_barcode_result tessera_barcodes_read(
  const tessera_barcode_library *library, const tessera_barcode_request *request, const tessera_barcode_limits *limits,
  tessera_barcode_receive receive, void *context, uint64_t *used
) {
  search wanted = {.library = library, .request = request, .receive = receive, .context = context};
  const tessera_barcode_work work = {.run = run, .receive = receive_barcodes, .context = &wanted};
  return tessera_barcode_run_child(&work, limits, used);
}
