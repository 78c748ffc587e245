#ifndef TESSERA_CEVDEV_H
#define TESSERA_CEVDEV_H

#include <errno.h>
#include <libevdev/libevdev.h>
#include <linux/input.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

// The requests are macros that the importer cannot see, and `ioctl` is variadic. Each returns 0, or -1 with `errno`.

static inline int tessera_ff_upload(int device, struct ff_effect *effect) { return ioctl(device, EVIOCSFF, effect); }

static inline int tessera_ff_erase(int device, int effect) { return ioctl(device, EVIOCRMFF, effect); }

static inline int tessera_ff_slots(int device, int *count) { return ioctl(device, EVIOCGEFFECTS, count); }

// What wakes a thread that waits for a device in `poll`. -1 with `errno` where there is none to be had.
static inline int tessera_wake_up_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// An empty mask of the types of events: the kernel keeps nothing of what the device reports for this descriptor.
static inline int tessera_evdev_ignore_input(int device) {
  struct input_mask mask = {.type = EV_SYN, .codes_size = 0, .codes_ptr = 0};
  return ioctl(device, EVIOCSMASK, &mask);
}

#endif
