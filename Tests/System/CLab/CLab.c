#include "CLab.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int set_control(int device, const char *name, int value) {
  struct v4l2_queryctrl control = {.id = V4L2_CTRL_FLAG_NEXT_CTRL};
  while (ioctl(device, VIDIOC_QUERYCTRL, &control) == 0) {
    if (strcmp((const char *)control.name, name) == 0) {
      struct v4l2_control request = {.id = control.id, .value = value};
      return ioctl(device, VIDIOC_S_CTRL, &request);
    }
    control.id |= V4L2_CTRL_FLAG_NEXT_CTRL;
  }
  errno = ENOENT;
  return -1;
}

static int closing(int device, int result) {
  int code = errno;
  close(device);
  errno = code;
  return result;
}

int tessera_vivid_control(const char *node, const char *name, int value) {
  int device = open(node, O_RDWR | O_CLOEXEC);
  return device < 0 ? -1 : closing(device, set_control(device, name, value));
}

int tessera_vivid_input(const char *camera, int input) {
  int device = open(camera, O_RDWR | O_CLOEXEC);
  return device < 0 ? -1 : closing(device, ioctl(device, VIDIOC_S_INPUT, &input));
}

int tessera_vivid_connect(const char *camera, const char *output) {
  // "HDMI 0" of the inputs and of the outputs.
  int input = 3, sink = 1;
  struct v4l2_dv_timings timings;
  int device = open(camera, O_RDWR | O_CLOEXEC);
  if (device < 0) return -1;
  if (ioctl(device, VIDIOC_S_INPUT, &input) != 0 || ioctl(device, VIDIOC_G_DV_TIMINGS, &timings) != 0 ||
      set_control(device, "Loop Video", 1) != 0 || set_control(device, "OSD Text Mode", 2) != 0)
    return closing(device, -1);
  close(device);
  device = open(output, O_RDWR | O_CLOEXEC);
  if (device < 0) return -1;
  return closing(device, ioctl(device, VIDIOC_S_OUTPUT, &sink) == 0 && ioctl(device, VIDIOC_S_DV_TIMINGS, &timings) == 0 ? 0 : -1);
}

int tessera_vivid_start_output(const char *output, unsigned width, unsigned height, const void *pixels, void **buffers) {
  int device = open(output, O_RDWR | O_CLOEXEC);
  if (device < 0) return -1;
  int type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
  struct v4l2_format format = {.type = (unsigned)type};
  format.fmt.pix.pixelformat = V4L2_PIX_FMT_GREY;
  format.fmt.pix.width = width;
  format.fmt.pix.height = height;
  format.fmt.pix.field = V4L2_FIELD_NONE;
  if (ioctl(device, VIDIOC_S_FMT, &format) != 0) return closing(device, -1);
  struct v4l2_requestbuffers request = {.count = tessera_vivid_buffers, .type = (unsigned)type, .memory = V4L2_MEMORY_MMAP};
  if (format.fmt.pix.pixelformat != V4L2_PIX_FMT_GREY || format.fmt.pix.width != width ||
      format.fmt.pix.height != height || format.fmt.pix.bytesperline != width) {
    errno = EINVAL;
    return closing(device, -1);
  }
  if (ioctl(device, VIDIOC_REQBUFS, &request) != 0 || request.count != tessera_vivid_buffers) return closing(device, -1);
  for (unsigned index = 0; index < tessera_vivid_buffers; index++) {
    struct v4l2_buffer buffer = {.index = index, .type = (unsigned)type, .memory = V4L2_MEMORY_MMAP};
    if (ioctl(device, VIDIOC_QUERYBUF, &buffer) != 0) return closing(device, -1);
    buffers[index] = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, device, buffer.m.offset);
    if (buffers[index] == MAP_FAILED) return closing(device, -1);
    memcpy(buffers[index], pixels, width * height);
    buffer.bytesused = width * height;
    if (ioctl(device, VIDIOC_QBUF, &buffer) != 0) return closing(device, -1);
  }
  return ioctl(device, VIDIOC_STREAMON, &type) == 0 ? device : closing(device, -1);
}

int tessera_vivid_show(int output, const void *pixels, unsigned size, void *const *buffers) {
  struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT, .memory = V4L2_MEMORY_MMAP};
  if (ioctl(output, VIDIOC_DQBUF, &buffer) != 0) return -1;
  memcpy(buffers[buffer.index], pixels, size);
  buffer.bytesused = size;
  return ioctl(output, VIDIOC_QBUF, &buffer);
}

void tessera_vivid_stop(int output, unsigned size, void *const *buffers) {
  for (unsigned index = 0; index < tessera_vivid_buffers; index++) munmap(buffers[index], size);
  close(output);
}
