#ifndef TESSERA_CTSS2_H
#define TESSERA_CTSS2_H

#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_tctildr.h>

// Macros that Swift cannot import.
static inline TSS2_RC tessera_tcti_transmit(TSS2_TCTI_CONTEXT *context, size_t size, const uint8_t *command) {
  return Tss2_Tcti_Transmit(context, size, command);
}
static inline TSS2_RC tessera_tcti_receive(TSS2_TCTI_CONTEXT *context, size_t *size, uint8_t *response) {
  return Tss2_Tcti_Receive(context, size, response, TSS2_TCTI_TIMEOUT_BLOCK);
}

#endif
