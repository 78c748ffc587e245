// The process in which libzxing runs. What search.c and write.cpp need from child.c.
#pragma once
#include "CTesseraBarcodes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The parent's end of the pair of sockets. After the deadline only what is there already is read, and not without end.
typedef struct {
  int descriptor;
  int64_t deadline;
  size_t late_bytes;
} tessera_barcode_socket;

/// What is done with libzxing in the child, and with its answer in this process.
typedef struct {
  /// Sends the answer. Returns false if libzxing fails; it may also end the process.
  bool (*_Nonnull run)(void *_Nonnull context);
  /// Receives the answer, which is of any content.
  tessera_barcode_result (*_Nonnull receive)(tessera_barcode_socket *_Nonnull socket, void *_Nonnull context);
  void *_Nonnull context;
} tessera_barcode_work;

/// Runs the work in a child process, waits for its end, and returns what `receive` did. `used` is as for
/// `tessera_barcodes_read`.
tessera_barcode_result tessera_barcode_run_child(
  const tessera_barcode_work *_Nonnull work, const tessera_barcode_limits *_Nonnull limits, uint64_t *_Nonnull used);

/// Sends a part of the answer, in the child. Ends the process if nobody receives it.
void tessera_barcode_send(const void *_Nonnull bytes, size_t count);

/// Receives a part of the answer, in this process.
tessera_barcode_result tessera_barcode_receive_bytes(
  tessera_barcode_socket *_Nonnull socket, void *_Nonnull bytes, size_t count);

#ifdef __cplusplus
}
#endif
