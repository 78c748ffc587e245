#ifndef TESSERA_CLIBNFC_GUARD_H
#define TESSERA_CLIBNFC_GUARD_H

#include <nfc/nfc.h>
#include <stdlib.h>
#include <string.h>

// libnfc 1.8.0 ends the process over some malformed statuses of a chip's response. Every driver sends and receives with two
// functions that the device points to. The functions below replace them and pass on only a response with a status of the
// PN532's user manual (7.1). That depends on the layout of libnfc's structures, so the device is rejected unless the library
// is exactly the version described here.

struct tessera_nfc_io {
  int (*send)(nfc_device *, const uint8_t *, const size_t, int);
  int (*receive)(nfc_device *, uint8_t *, const size_t, int);
};

// The beginning of `struct pn53x_data` (pn53x.h).
struct tessera_nfc_chip {
  int type;
  char firmware[22];
  int power_mode;
  int operating_mode;
  nfc_target *target;
  int sam_mode;
  const struct tessera_nfc_io *io;
};

// The beginning of `struct nfc_device` (nfc-internal.h).
struct tessera_nfc_device {
  const void *context;
  const void *driver;
  void *driver_data;
  struct tessera_nfc_chip *chip;
  char name[256];
  nfc_connstring connstring;
};

struct tessera_nfc_guard {
  // The first member: the device's pointer to it is one to the guard.
  struct tessera_nfc_io io;
  const struct tessera_nfc_io *driver;
  // The command that the next response answers.
  uint8_t command;
};

static inline struct tessera_nfc_chip *tessera_nfc_chip_of(nfc_device *device) {
  return ((struct tessera_nfc_device *)device)->chip;
}

static inline struct tessera_nfc_guard *tessera_nfc_guard_of(nfc_device *device) {
  return (struct tessera_nfc_guard *)tessera_nfc_chip_of(device)->io;
}

// Whether libnfc treats the first byte of the response as a status (its `switch` over the commands).
static inline bool tessera_nfc_has_status(uint8_t command) {
  switch (command) {
    case 0x16: case 0x40: case 0x42: case 0x46: case 0x4E: case 0x50: case 0x54: case 0x56:
    case 0x86: case 0x88: case 0x8E: case 0x90: case 0x92: case 0x94:
      return true;
    default:
      return false;
  }
}

// Error codes are 00 to 2E; bits 6 and 7 say more.
static inline bool tessera_nfc_is_status(uint8_t status) { return (status & 0x80) == 0 && (status & 0x3F) <= 0x2E; }

static int tessera_nfc_send(nfc_device *device, const uint8_t *data, const size_t length, int timeout) {
  struct tessera_nfc_guard *guard = tessera_nfc_guard_of(device);
  guard->command = length > 0 ? data[0] : 0;
  return guard->driver->send(device, data, length, timeout);
}

static int tessera_nfc_receive(nfc_device *device, uint8_t *data, const size_t length, int timeout) {
  struct tessera_nfc_guard *guard = tessera_nfc_guard_of(device);
  int count = guard->driver->receive(device, data, length, timeout);
  if (count < 0 || !tessera_nfc_has_status(guard->command)) return count;
  return count > 0 && tessera_nfc_is_status(data[0]) ? count : NFC_EIO;
}

// Whether the structures above describe this version of libnfc and this device.
static inline bool tessera_nfc_is_known(nfc_device *device) {
  const struct tessera_nfc_device *known = (const struct tessera_nfc_device *)device;
  return strstr(nfc_version(), "1.8.0") != NULL && nfc_device_get_name(device) == known->name
         && nfc_device_get_connstring(device) == known->connstring && known->chip != NULL
         && strncmp(known->chip->firmware, "PN53", 4) == 0 && known->chip->io != NULL;
}

// Returns false if the device cannot be guarded.
static inline bool tessera_nfc_guard(nfc_device *device) {
  if (!tessera_nfc_is_known(device)) return false;
  struct tessera_nfc_guard *guard = malloc(sizeof *guard);
  if (guard == NULL) return false;
  guard->io.send = tessera_nfc_send;
  guard->io.receive = tessera_nfc_receive;
  guard->driver = tessera_nfc_chip_of(device)->io;
  guard->command = 0;
  tessera_nfc_chip_of(device)->io = &guard->io;
  return true;
}

// Closes a guarded device. The commands of nfc_close are guarded as well.
static inline void tessera_nfc_close(nfc_device *device) {
  struct tessera_nfc_guard *guard = tessera_nfc_guard_of(device);
  nfc_close(device);
  free(guard);
}

#endif
