#ifndef TESSERA_CLIBNFC_H
#define TESSERA_CLIBNFC_H

#include <nfc/nfc.h>
#include <string.h>

#include "guard.h"

// libnfc packs its structures (nfc-types.h), which Swift's importer does not support. These functions copy the required
// fields and check their lengths.

// Copies the answer to select (ATS) of a type A target without its length byte to `bytes`, 254 bytes at most. Returns its
// length.
static inline size_t tessera_nfc_answer_to_select(const nfc_target *target, uint8_t *bytes) {
  size_t length = target->nti.nai.szAtsLen;
  if (length > sizeof target->nti.nai.abtAts) return 0;
  memcpy(bytes, target->nti.nai.abtAts, length);
  return length;
}

static inline uint8_t tessera_nfc_select_acknowledge(const nfc_target *target) { return target->nti.nai.btSak; }

// Both bytes of ATQA, as libnfc orders them: the high one first.
static inline uint16_t tessera_nfc_answer_to_request(const nfc_target *target) {
  return (uint16_t)(target->nti.nai.abtAtqa[0] << 8 | target->nti.nai.abtAtqa[1]);
}

// Copies from a type B target: 4 bytes of application data, 3 of protocol information, 1 of the answer to ATTRIB.
static inline void tessera_nfc_type_b(const nfc_target *target, uint8_t bytes[8]) {
  memcpy(bytes, target->nti.nbi.abtApplicationData, 4);
  memcpy(bytes + 4, target->nti.nbi.abtProtocolInfo, 3);
  bytes[7] = target->nti.nbi.ui8CardIdentifier;
}

static inline nfc_modulation_type tessera_nfc_modulation(const nfc_target *target) { return target->nm.nmt; }

#endif
