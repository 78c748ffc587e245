#ifndef TESSERA_CEVDEV_H
#define TESSERA_CEVDEV_H

#include <errno.h>
#include <libevdev/libevdev.h>
#include <linux/input.h>
#include <sys/ioctl.h>

// The requests are macros that the importer cannot see, and `ioctl` is variadic. Each returns 0, or -1 with `errno`.

static inline int tessera_ff_upload(int device, struct ff_effect *effect) { return ioctl(device, EVIOCSFF, effect); }

static inline int tessera_ff_erase(int device, int effect) { return ioctl(device, EVIOCRMFF, effect); }

static inline int tessera_ff_slots(int device, int *count) { return ioctl(device, EVIOCGEFFECTS, count); }

#endif
