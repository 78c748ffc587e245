#ifndef TESSERA_CNATS_H
#define TESSERA_CNATS_H

#include <nats/nats.h>
#include <sys/eventfd.h>

// Closes a socket that libnats has handed to an event loop. Since version 3.10 libnats leaves that to the loop.
static inline void tessera_nats_close_socket(int descriptor) {
#if NATS_VERSION_NUMBER >= 0x030A00
  natsSock socket = descriptor;
  natsConnection_ProcessCloseEvent(&socket);
#else
  (void)descriptor;
#endif
}

#endif
