#ifndef TESSERA_CV4L2_H
#define TESSERA_CV4L2_H

#include <errno.h>
#include <linux/videodev2.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

// Swift can import neither the macros of the requests nor the variadic `ioctl`. Each function returns 0, or -1 with `errno`.

static inline int tessera_v4l2_querycap(int device, struct v4l2_capability *capability) {
  return ioctl(device, VIDIOC_QUERYCAP, capability);
}

static inline int tessera_v4l2_enum_fmt(int device, struct v4l2_fmtdesc *format) {
  return ioctl(device, VIDIOC_ENUM_FMT, format);
}

static inline int tessera_v4l2_enum_framesizes(int device, struct v4l2_frmsizeenum *size) {
  return ioctl(device, VIDIOC_ENUM_FRAMESIZES, size);
}

static inline int tessera_v4l2_enum_frameintervals(int device, struct v4l2_frmivalenum *interval) {
  return ioctl(device, VIDIOC_ENUM_FRAMEINTERVALS, interval);
}

static inline int tessera_v4l2_g_fmt(int device, struct v4l2_format *format) {
  return ioctl(device, VIDIOC_G_FMT, format);
}

static inline int tessera_v4l2_s_fmt(int device, struct v4l2_format *format) {
  return ioctl(device, VIDIOC_S_FMT, format);
}

static inline int tessera_v4l2_s_parm(int device, struct v4l2_streamparm *parameters) {
  return ioctl(device, VIDIOC_S_PARM, parameters);
}

static inline int tessera_v4l2_reqbufs(int device, struct v4l2_requestbuffers *buffers) {
  return ioctl(device, VIDIOC_REQBUFS, buffers);
}

static inline int tessera_v4l2_querybuf(int device, struct v4l2_buffer *buffer) {
  return ioctl(device, VIDIOC_QUERYBUF, buffer);
}

static inline int tessera_v4l2_qbuf(int device, struct v4l2_buffer *buffer) {
  return ioctl(device, VIDIOC_QBUF, buffer);
}

static inline int tessera_v4l2_dqbuf(int device, struct v4l2_buffer *buffer) {
  return ioctl(device, VIDIOC_DQBUF, buffer);
}

static inline int tessera_v4l2_streamon(int device, int type) { return ioctl(device, VIDIOC_STREAMON, &type); }

static inline int tessera_v4l2_streamoff(int device, int type) { return ioctl(device, VIDIOC_STREAMOFF, &type); }

// A descriptor that wakes a thread that waits for a camera in `poll`. -1 with `errno` after a failure.
static inline int tessera_camera_wake_up_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

#endif
