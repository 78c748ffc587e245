#include "CLab.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <string.h>
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

int tessera_vivid_open_output(const char *output, unsigned width, unsigned height) {
  int device = open(output, O_RDWR | O_CLOEXEC);
  if (device < 0) return -1;
  struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT};
  format.fmt.pix.pixelformat = V4L2_PIX_FMT_GREY;
  format.fmt.pix.width = width;
  format.fmt.pix.height = height;
  format.fmt.pix.field = V4L2_FIELD_NONE;
  if (ioctl(device, VIDIOC_S_FMT, &format) != 0) return closing(device, -1);
  if (format.fmt.pix.pixelformat != V4L2_PIX_FMT_GREY || format.fmt.pix.width != width ||
      format.fmt.pix.height != height || format.fmt.pix.bytesperline != width) {
    errno = EINVAL;
    return closing(device, -1);
  }
  return device;
}
