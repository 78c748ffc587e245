#ifndef TESSERA_CEVDEV_H
#define TESSERA_CEVDEV_H

#include <errno.h>
#include <libevdev/libevdev.h>
#include <linux/input.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

// Swift can import neither the macros of the requests nor the variadic `ioctl`. Each function returns 0, or -1 with `errno`.

static inline int tessera_ff_upload(int device, struct ff_effect *effect) { return ioctl(device, EVIOCSFF, effect); }

static inline int tessera_ff_erase(int device, int effect) { return ioctl(device, EVIOCRMFF, effect); }

static inline int tessera_ff_slots(int device, int *count) { return ioctl(device, EVIOCGEFFECTS, count); }

// A descriptor that wakes a thread that waits for a device in `poll`. -1 with `errno` after a failure.
static inline int tessera_wake_up_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// An empty event mask: the kernel queues no input events of the device for this descriptor.
static inline int tessera_evdev_ignore_input(int device) {
  struct input_mask mask = {.type = EV_SYN, .codes_size = 0, .codes_ptr = 0};
  return ioctl(device, EVIOCSMASK, &mask);
}

#endif
