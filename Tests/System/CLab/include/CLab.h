#ifndef TESSERA_CLAB_H
#define TESSERA_CLAB_H

#include <linux/uinput.h>
#include <sys/ioctl.h>

// Swift can import neither the macros of the requests nor the variadic `ioctl`. Each function returns 0, or -1 with `errno`.

static inline int tessera_ui_set_event_bit(int device, int bit) { return ioctl(device, UI_SET_EVBIT, bit); }
static inline int tessera_ui_set_key_bit(int device, int bit) { return ioctl(device, UI_SET_KEYBIT, bit); }
static inline int tessera_ui_set_ff_bit(int device, int bit) { return ioctl(device, UI_SET_FFBIT, bit); }
static inline int tessera_ui_setup(int device, struct uinput_setup *setup) { return ioctl(device, UI_DEV_SETUP, setup); }
static inline int tessera_ui_create(int device) { return ioctl(device, UI_DEV_CREATE); }
static inline int tessera_ui_destroy(int device) { return ioctl(device, UI_DEV_DESTROY); }
static inline int tessera_ui_name(int device, char *name, size_t size) { return ioctl(device, UI_GET_SYSNAME(size), name); }
static inline int tessera_ui_begin_upload(int device, struct uinput_ff_upload *upload) { return ioctl(device, UI_BEGIN_FF_UPLOAD, upload); }
static inline int tessera_ui_end_upload(int device, struct uinput_ff_upload *upload) { return ioctl(device, UI_END_FF_UPLOAD, upload); }
static inline int tessera_ui_begin_erase(int device, struct uinput_ff_erase *erase) { return ioctl(device, UI_BEGIN_FF_ERASE, erase); }
static inline int tessera_ui_end_erase(int device, struct uinput_ff_erase *erase) { return ioctl(device, UI_END_FF_ERASE, erase); }

// The driver vivid, which has a video output and can show on its camera what a program writes there. Each function
// returns a descriptor or 0, or -1 with `errno`.

// Connects the HDMI output of vivid to the HDMI input of its camera, and sets both to the same timing.
int tessera_vivid_connect(const char *camera, const char *output);
enum { tessera_vivid_buffers = 4 };
// Opens the output with frames of 8 bits of luminance, and maps and queues its buffers with this picture; -1 with EINVAL
// unless it takes this size. vivid does not take frames by write(2).
int tessera_vivid_start_output(const char *output, unsigned width, unsigned height, const void *pixels, void **buffers);
// Waits until a frame was shown, and queues the next one.
int tessera_vivid_show(int output, const void *pixels, unsigned size, void *const *buffers);
// Unmaps the buffers and closes the output.
void tessera_vivid_stop(int output, unsigned size, void *const *buffers);
// Presses or sets a control of vivid by its name, such as "Disconnect".
int tessera_vivid_control(const char *node, const char *name, int value);
// Chooses an input of the camera: 0 is the webcam.
int tessera_vivid_input(const char *camera, int input);

#endif
